package dev.outboard.doca.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.FailureCause;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.testkit.Requirement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A device that is gone while contexts use it, on every provider.
abstract class RdmaDeviceLossContract extends RdmaPairContract {
    private static final FailureCause GONE =
            FailureCause.Transport.of(CompletionStatus.GENERAL_ERROR);
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private void loseDevice() {
        ours.dev.protectionDomain().device().close();
    }

    private static void assertLost(RdmaTask task) {
        assertThat(task.status()).as("of %s", task).isEqualTo(DocaError.IO_FAILED);
        assertThat(task.failure()).contains(GONE);
    }

    @ParameterizedTest
    @EnumSource
    @Requirement({"DFLT-48", "DCORE-CTX-15", "DRDMA-FAIL-9"})
    void whenTheDeviceVanishesEveryTaskFailsOnceAndTheContextStops(ConnectionMode mode) {
        ours.rdma.connectionMode(mode).rnrRetryCount(7);
        connect();
        ours.states.clear();
        ReceiveTask receive = ours.rdma.allocReceive(null);
        SendTask send = ours.peer.allocSend(null);
        ReadTask read = ours.peer.allocRead(ours.remoteData(0, 8), ours.room(64, 8));
        SendTask late = ours.peer.allocSend(null);
        List<RdmaTask> inFlight = List.of(receive, send, read);
        inFlight.forEach(RdmaTask::submitOrThrow);
        ours.engine.progress();

        loseDevice();
        late.submitOrThrow();
        ours.progressUntil(() -> ours.rdma.inFlightTasks() == 0);

        assertThat(ours.done).containsExactlyInAnyOrder(receive, send, read, late);
        ours.done.forEach(RdmaDeviceLossContract::assertLost);
        assertThat(ours.rdma.stopCause()).contains(GONE);
        assertThat(ours.states).containsExactly(CtxState.STOPPING);
        assertThat(late.submit()).isEqualTo(DocaError.BAD_STATE);
        ours.done.forEach(RdmaTask::free);
        ours.progressUntil(() -> ours.rdma.state() == CtxState.IDLE);
        assertThat(ours.states).containsExactly(CtxState.STOPPING, CtxState.IDLE);
    }

    @Test
    @Requirement({"DFLT-48", "DCORE-PE-11"})
    void whoSleepsIsWokenWhenTheDeviceVanishes() throws InterruptedException {
        connect();
        Thread.ofVirtual().start(this::loseDevice);

        while (ours.rdma.stopCause().isEmpty()) {
            assertThat(ours.engine.await(PATIENCE)).isTrue();
            ours.engine.progress();
        }

        assertThat(ours.rdma.stopCause()).contains(GONE);
    }
}
