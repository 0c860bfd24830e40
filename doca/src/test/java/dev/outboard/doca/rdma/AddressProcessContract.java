package dev.outboard.doca.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.FailureCause;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.testkit.Requirement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Connections by address to a process that listens, on every provider.
abstract class AddressProcessContract {
    private final ConnectionNotes notes = new ConnectionNotes();
    private RdmaEnd ours;
    private PeerProcess theirs;

    /// A device that reaches, and is reached by, the others.
    abstract DocaDevInfo device();

    @BeforeEach
    void ask() {
        ours = new RdmaEnd(device());
        ours.fill(1);
        theirs = new PeerProcess(device(), RdmaPeerProgram.LISTEN);
        ours.rdma.timeoutCode(15).retryCount(3).rnrRetryCount(7).onConnection(notes).start();
        ours.peer = ours.rdma.connectTo(theirs.address(), "ours");
        ours.remote = theirs.memory(ours);
    }

    private void beAccepted() {
        theirs.tell("accept");
        ours.progressUntil(() -> !notes.established.isEmpty());
        theirs.awaitDone("accept done");
    }

    @AfterEach
    void close() {
        theirs.close();
        ours.close();
    }

    @Test
    @Requirement({"DTEST-2", "DRDMA-CM-1", "DRDMA-CM-3", "DRDMA-CM-7", "DRDMA-CM-8"})
    void messagesFlowBothWaysOnceItHasAccepted() {
        beAccepted();

        assertThat(notes.established).containsExactly(ours.peer);
        assertThat(ours.peer.userData()).isEqualTo("ours");
        assertThat(ours.peer.privateData()).startsWith(RdmaPeerProgram.REPLY);
        ReceiveTask answer = ours.rdma.allocReceive(ours.room(64, 64));
        answer.submitOrThrow();
        theirs.tell("echo");
        SendTask send = ours.peer.allocSend(ours.dataAt(0, 8));
        send.submitOrThrow();
        assertThat(List.of(ours.next(), ours.next())).containsExactlyInAnyOrder(send, answer);
        assertThat(answer.connection()).isSameAs(ours.peer);
        assertThat(ours.bytes(64, 8)).isEqualTo(ours.bytes(0, 8));
        theirs.awaitDone("echo 8 bytes");
    }

    @Test
    @Requirement({"DTEST-2", "DRDMA-CM-3", "DRDMA-CM-7", "DFLT-46"})
    void anAttemptFailsOnceItHasRejected() {
        theirs.tell("reject");

        ours.progressUntil(() -> !notes.failed.isEmpty());

        assertThat(notes.errors).containsExactly(DocaError.CONNECTION_ABORTED);
        assertThat(notes.established).isEmpty();
        assertThat(ours.rdma.state()).isEqualTo(CtxState.RUNNING);
    }

    @Test
    @Requirement({"DTEST-2", "DRDMA-CM-7", "DRDMA-CM-9", "DFLT-47"})
    void whenItDisconnectsTasksInFlightAreFlushed() {
        beAccepted();
        SendTask unheard = ours.peer.allocSend(null);
        unheard.submitOrThrow();
        theirs.tell("disconnect");

        assertThat(ours.next()).isSameAs(unheard);
        ours.progressUntil(() -> !notes.disconnected.isEmpty());

        assertThat(unheard.status()).isEqualTo(DocaError.BAD_STATE);
        assertThat(notes.disconnected).containsExactly(ours.peer);
        assertThat(ours.rdma.state()).isEqualTo(CtxState.RUNNING);
        theirs.awaitDone("disconnect done");
    }

    @Test
    @Requirement({"DTEST-2", "DRDMA-CM-7", "DRDMA-CM-9"})
    void itIsToldWhenWeDisconnect() {
        beAccepted();
        theirs.tell("lose");

        ours.peer.disconnect();
        ours.progressUntil(() -> !notes.disconnected.isEmpty());

        theirs.awaitDone("lose done");
    }

    @Test
    @Requirement({"DTEST-2", "DFLT-20", "DRDMA-FAIL-8", "DRDMA-PROP-15"})
    void whenItIsKilledTheConnectionEndsAndTheContextRuns() {
        beAccepted();
        SendTask send = ours.peer.allocSend(null);
        theirs.kill();
        send.submitOrThrow();

        assertThat(ours.next()).isSameAs(send);
        ours.progressUntil(() -> !notes.disconnected.isEmpty());

        assertThat(send.status()).isEqualTo(DocaError.IO_FAILED);
        assertThat(send.failure())
                .contains(FailureCause.Transport.of(CompletionStatus.RETRY_EXCEEDED));
        assertThat(notes.disconnected).containsExactly(ours.peer);
        assertThat(ours.rdma.state()).isEqualTo(CtxState.RUNNING);
    }
}
