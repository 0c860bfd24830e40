package dev.outboard.doca.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.FailureCause;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.testkit.Requirement;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// An end here and one in another process, connected by their details, on every provider.
abstract class RdmaProcessContract {
    private static final FailureCause FLUSHED =
            FailureCause.Transport.of(CompletionStatus.WORK_REQUEST_FLUSHED);

    private RdmaEnd ours;
    private PeerProcess theirs;

    /// A device that reaches, and is reached by, the others.
    abstract DocaDevInfo device();

    @BeforeEach
    void connectToAProcess() {
        ours = new RdmaEnd(device());
        ours.fill(1);
        theirs = new PeerProcess(device());
        ours.rdma.timeoutCode(15).retryCount(3).rnrRetryCount(7).start();
        ours.peer = ours.rdma.export();
        ours.peer.connect(theirs.details());
        ours.remote = theirs.memory(ours);
        ours.progressUntil(() -> ours.rdma.state() == CtxState.RUNNING);
    }

    /// The peer connects too; only now can it be reached.
    private void beConnectedTo() {
        theirs.tell("connect " + HexFormat.of().formatHex(ours.peer.details()));
        theirs.awaitDone("connect done");
    }

    @AfterEach
    void close() {
        theirs.close();
        ours.close();
    }

    @Test
    @Requirement({"DTEST-2", "DRDMA-CONN-1", "DRDMA-CONN-10", "DRDMA-READ-8", "DRDMA-COM-20"})
    void aProcessThatDoesNothingIsRead() {
        beConnectedTo();
        byte[] before = ours.bytes(0, 8);
        ReadTask read = ours.peer.allocRead(ours.remoteData(16, 8), ours.room(64, 8));
        RdmaPairContract.assertSucceeds(ours, read);
        assertThat(ours.bytes(64, 8)).containsExactly(114, 121, -128, -121, -114, -107, -100, -93);
        assertThat(ours.bytes(0, 8)).isEqualTo(before);
    }

    @Test
    @Requirement({"DTEST-2", "DRDMA-CONN-5", "DRDMA-CONN-10"})
    void aMessageSentBeforeThePeerConnectsGetsThere() {
        ReceiveTask answer = ours.rdma.allocReceive(ours.room(64, 64));
        answer.submitOrThrow();
        SendTask early = ours.peer.allocSend(ours.dataAt(0, 8));
        early.submitOrThrow();
        ours.engine.progress();
        assertThat(early.status()).isEqualTo(DocaError.IN_PROGRESS);

        theirs.tell("connect " + HexFormat.of().formatHex(ours.peer.details()));
        theirs.tell("echo");

        assertThat(List.of(ours.next(), ours.next())).containsExactlyInAnyOrder(early, answer);
        assertThat(early.status()).isEqualTo(DocaError.SUCCESS);
        assertThat(answer.status()).isEqualTo(DocaError.SUCCESS);
        assertThat(ours.bytes(64, 8)).isEqualTo(ours.bytes(0, 8));
        theirs.awaitDone("echo 8 bytes");
    }

    @Test
    @Requirement({"DTEST-2", "DFLT-1"})
    void whenThePeerTakesItsMemoryBackTasksOnItFail() {
        beConnectedTo();
        theirs.tell("forget");
        theirs.awaitDone("forget done");

        assertFailsAlone(
                CompletionStatus.REMOTE_ACCESS_ERROR,
                ours.peer.allocRead(ours.remoteData(0, 8), ours.room(64, 8)));
    }

    @Test
    @Requirement({"DTEST-2", "DFLT-22", "DRDMA-STATE-6"})
    void whenThePeerStopsTasksFail() {
        beConnectedTo();
        theirs.tell("stop");
        theirs.awaitDone("stop done");

        assertFailsAlone(CompletionStatus.RETRY_EXCEEDED, ours.peer.allocSend(ours.dataAt(0, 8)));
    }

    @Test
    @Requirement({"DTEST-2", "DFLT-20", "DRDMA-PROP-15", "DRDMA-FAIL-4", "DRDMA-FAIL-9"})
    void whenThePeerIsKilledTheTaskInFlightFails() {
        beConnectedTo();
        RdmaTask inFlight = ours.peer.allocSend(ours.dataAt(0, 8));
        inFlight.submitOrThrow();
        ours.engine.progress();
        assertThat(inFlight.status()).isEqualTo(DocaError.IN_PROGRESS);
        theirs.kill();

        assertFailsFirst(CompletionStatus.RETRY_EXCEEDED, inFlight);
    }

    private void assertFailsAlone(CompletionStatus status, RdmaTask failing) {
        failing.submitOrThrow();
        assertFailsFirst(status, failing);
    }

    /// `failing`, which is in flight, fails, and what is submitted behind it is flushed.
    private void assertFailsFirst(CompletionStatus status, RdmaTask failing) {
        RdmaTask behind = ours.peer.allocRead(ours.remoteData(0, 8), ours.room(72, 8));
        ReceiveTask receive = ours.rdma.allocReceive(null);
        behind.submitOrThrow();
        receive.submitOrThrow();

        assertThat(ours.next()).isSameAs(failing);
        RdmaPairContract.assertFatal(status, failing);
        for (RdmaTask task : List.of(behind, receive)) {
            assertThat(ours.next()).isSameAs(task);
            assertThat(task.status()).isEqualTo(DocaError.BAD_STATE);
            assertThat(task.failure()).contains(FLUSHED);
        }
    }
}
