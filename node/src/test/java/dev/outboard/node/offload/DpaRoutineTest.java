package dev.outboard.node.offload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.naa.server.RoutineException;
import dev.outboard.naa.server.RpcContext;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// What becomes of RPCs whose kernel faults, and of the next one.
class DpaRoutineTest {
    @Test
    void theCallerHearsAndTheNextOneIsServed() throws Exception {
        try (Device card = Fabric.open("sim://dpa-routine/10.6.1.1");
                DpaRoutine routine =
                        DpaRoutine.of(
                                card,
                                MoodyKernelsStub.APP,
                                (rpc, _) ->
                                        new DpaRoutine.Launch(
                                                MoodyKernelsStub.act(rpc.userByte(0)), 4))) {
            for (int round = 0; round < 3; round++) {
                assertThat(call(routine, MoodyKernels.ENDS)).isZero();
                assertThatThrownBy(() -> call(routine, MoodyKernels.FAULTS))
                        .isInstanceOfSatisfying(
                                RoutineException.class,
                                e ->
                                        assertThat(e.returnCode())
                                                .isEqualTo(TargetError.FAILED.code()))
                        .hasMessageContaining("the kernel of the DPA: Thread 'kernel thread");
            }
            assertThat(call(routine, MoodyKernels.ENDS)).isZero();
        }
    }

    private static int call(DpaRoutine routine, int mood) throws RoutineException {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        return routine.run(new RpcContext(7, mood, List.of(), List.of(), deadline));
    }
}
