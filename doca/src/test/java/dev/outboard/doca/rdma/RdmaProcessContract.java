package dev.outboard.doca.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.FailureCause;
import dev.outboard.doca.RemoteMmap;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.testkit.Requirement;
import dev.outboard.testkit.RunningProgram;
import java.io.IOException;
import java.io.Writer;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// An end here and one in another process, on every provider.
abstract class RdmaProcessContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final HexFormat HEX = HexFormat.of();

    private RdmaEnd ours;
    private Process process;
    private RunningProgram theirs;

    /// A device that reaches, and is reached by, the others.
    abstract DocaDevInfo device();

    @BeforeEach
    void connectToAProcess() throws IOException {
        ours = new RdmaEnd(device());
        ours.fill(1);
        process = RdmaPeerProgram.start(device().uri());
        theirs = new RunningProgram("peer", process);
        ours.rdma.timeoutCode(15).retryCount(3).rnrRetryCount(7).start();
        ours.peer = ours.rdma.export();
        ours.peer.connect(HEX.parseHex(line("details (.*)")));
        ours.remote = RemoteMmap.fromExport(ours.dev, HEX.parseHex(line("memory (.*)")));
        Writer out = process.outputWriter();
        out.write(HEX.formatHex(ours.peer.details()) + "\n");
        out.flush();
        line("(connected)");
        ours.progressUntil(() -> ours.rdma.state() == CtxState.RUNNING);
    }

    private String line(String regex) {
        return theirs.awaitLine(regex, PATIENCE).group(1);
    }

    @AfterEach
    void close() {
        theirs.close();
        ours.close();
    }

    @Test
    @Requirement({"DRDMA-CONN-1", "DRDMA-CONN-10", "DRDMA-READ-8", "DRDMA-COM-20"})
    void aProcessThatDoesNothingIsRead() {
        byte[] before = ours.bytes(0, 8);
        ReadTask read = ours.peer.allocRead(ours.remoteData(16, 8), ours.room(64, 8));
        RdmaPairContract.assertSucceeds(ours, read);
        assertThat(ours.bytes(64, 8)).containsExactly(114, 121, -128, -121, -114, -107, -100, -93);
        assertThat(ours.bytes(0, 8)).isEqualTo(before);
    }

    @Test
    @Requirement({"DFLT-20", "DRDMA-PROP-15", "DRDMA-FAIL-4", "DRDMA-FAIL-9"})
    void whenThePeerIsKilledTheTaskInFlightFails() throws InterruptedException {
        RdmaTask inFlight = ours.peer.allocSend(ours.dataAt(0, 8));
        RdmaTask behind = ours.peer.allocRead(ours.remoteData(0, 8), ours.room(64, 8));
        ReceiveTask receive = ours.rdma.allocReceive(null);
        for (RdmaTask task : List.of(inFlight, behind, receive)) {
            task.submitOrThrow();
        }
        ours.engine.progress();
        assertThat(inFlight.status()).isEqualTo(DocaError.IN_PROGRESS);

        process.destroyForcibly().waitFor();

        assertThat(ours.next()).isSameAs(inFlight);
        RdmaPairContract.assertFatal(CompletionStatus.RETRY_EXCEEDED, inFlight);
        FailureCause flushed = FailureCause.Transport.of(CompletionStatus.WORK_REQUEST_FLUSHED);
        for (RdmaTask task : List.of(behind, receive)) {
            assertThat(ours.next()).isSameAs(task);
            assertThat(task.status()).isEqualTo(DocaError.BAD_STATE);
            assertThat(task.failure()).contains(flushed);
        }
    }
}
