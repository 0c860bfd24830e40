package dev.outboard.node.offload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.naa.server.RoutineException;
import dev.outboard.naa.server.RpcContext;
import dev.outboard.node.watch.NodeTrace;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.TraceFile;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// What becomes of RPCs whose kernel faults, and of the next one.
class DpaRoutineTest {
    @Test
    void theCallerHearsAndTheNextOneIsServed() throws Exception {
        try (Device card = Fabric.open("sim://dpa-routine/10.6.1.1");
                DpaRoutine routine = routine(card)) {
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

    @Test
    void aFaultCostsThoseThatComputeBesideItNothing() throws Exception {
        AtomicInteger begun = new AtomicInteger();
        try (Device card = Fabric.open("sim://dpa-routine/10.6.1.3");
                ExecutorService threads = Executors.newSingleThreadExecutor();
                DpaRoutine routine =
                        DpaRoutine.of(
                                card,
                                MoodyKernelsStub.APP,
                                (rpc, _) -> {
                                    if (rpc.userByte(0) == MoodyKernels.COMPUTES) {
                                        begun.incrementAndGet();
                                    }
                                    return new DpaRoutine.Launch(
                                            MoodyKernelsStub.act(rpc.userByte(0)), 1);
                                })) {
            int rounds = 0;
            while (begun.get() == rounds && rounds < 20) {
                int before = begun.get();
                Future<Integer> beside = threads.submit(() -> call(routine, MoodyKernels.COMPUTES));
                Eventually.until(() -> begun.get() > before);
                assertThatThrownBy(() -> call(routine, MoodyKernels.FAULTS))
                        .isInstanceOf(RoutineException.class);
                assertThat(beside.get(1, TimeUnit.MINUTES)).isZero();
                rounds++;
            }
            assertThat(begun.get()).as("one began again").isGreaterThan(rounds);
        }
    }

    /// An accelerator has another process after a fault, and one trace of all of them.
    @Test
    void theTraceGoesOnAfterAFault() throws Exception {
        NodeTrace trace = new NodeTrace();
        try (Device card = Fabric.open("sim://dpa-routine/10.6.1.2");
                DpaRoutine routine = routine(card)) {
            routine.show(trace);
            call(routine, MoodyKernels.ENDS);
            assertThatThrownBy(() -> call(routine, MoodyKernels.FAULTS))
                    .isInstanceOf(RoutineException.class);
            call(routine, MoodyKernels.ENDS);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        trace.write(out);
        TraceFile file = TraceFile.read(out.toByteArray());
        List<TraceFile.Slice> launches = file.slices("launches");
        assertThat(launches)
                .extracting(TraceFile.Slice::name)
                .containsExactly("act: 4 threads", "act that failed: 4 threads", "act: 4 threads");
        for (TraceFile.Slice launch : List.of(launches.getFirst(), launches.getLast())) {
            assertThat(file.slices("kernel thread.*"))
                    .filteredOn(slice -> slice.name().startsWith("act, rank"))
                    .filteredOn(slice ->
                            slice.begin() >= launch.begin() && slice.ended() <= launch.ended())
                    .hasSize(4);
        }
    }

    private static DpaRoutine routine(Device card) {
        return DpaRoutine.of(
                card,
                MoodyKernelsStub.APP,
                (rpc, _) -> new DpaRoutine.Launch(MoodyKernelsStub.act(rpc.userByte(0)), 4));
    }

    private static int call(DpaRoutine routine, int mood) throws RoutineException {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        return routine.run(new RpcContext(7, mood, List.of(), List.of(), deadline));
    }
}
