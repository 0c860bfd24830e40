package dev.outboard.node.offload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.afu.CallRegisters;
import dev.outboard.ccip.afu.CsrSpace;
import dev.outboard.ccip.afu.Job;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.naa.ReturnCode;
import dev.outboard.naa.server.RoutineException;
import dev.outboard.naa.server.RoutineRegion;
import dev.outboard.naa.server.RpcContext;
import dev.outboard.node.watch.NodeTrace;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.TraceFile;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What becomes of RPCs whose function misbehaves, and of the next one.
class AfuRoutineTest {
    private static final UUID ID = MoodyAfu.ID;

    private static final AfuFunction MOODY = AfuFunction.of(ID, MoodyAfu::new);

    private static final int ENDS_THE_SIMULATION = 6;

    @ParameterizedTest
    @CsvSource({
        MoodyAfu.ENDS + ", 0",
        MoodyAfu.HANGS + ", " + ReturnCode.TIMEOUT,
        MoodyAfu.WRITES_NOWHERE + ", 0x18",
        MoodyAfu.TELLS_NO_CODE + ", 0x18",
        MoodyAfu.TELLS_A_CODE + ", 0x42"
    })
    void theCallerHearsAndTheNextOneIsServed(int mood, int code) throws Exception {
        theCallerHearsAndTheNextOneIsServed(MOODY, mood, code);
    }

    @ParameterizedTest
    @CsvSource({
        MoodyAfu.ENDS + ", 0",
        MoodyAfu.HANGS + ", " + ReturnCode.TIMEOUT,
        MoodyAfu.WRITES_NOWHERE + ", 0x18",
        MoodyAfu.TELLS_NO_CODE + ", 0x18",
        MoodyAfu.TELLS_A_CODE + ", 0x42",
        ENDS_THE_SIMULATION + ", 0x18"
    })
    void theSameOfAFunctionInSystemVerilog(int mood, int code) throws Exception {
        theCallerHearsAndTheNextOneIsServed(Verilated.moody(), mood, code);
    }

    private static void theCallerHearsAndTheNextOneIsServed(
            AfuFunction function, int mood, int code) throws Exception {
        Duration limit = mood == MoodyAfu.HANGS ? Duration.ofMillis(300) : Duration.ofMinutes(1);
        for (AfuRoutine.End end : AfuRoutine.End.values()) {
            try (AfuRoutine routine = AfuRoutine.of(function, end)) {
                assertThat(call(routine, mood, limit)).isEqualTo(code);
                assertThat(call(routine, MoodyAfu.ENDS, Duration.ofMinutes(1))).isZero();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"POLLED, 50, 60", "INTERRUPT, 1, 1"})
    void whoWaitsForAnInterruptReadsTheStatusOnce(AfuRoutine.End end, int least, int most)
            throws Exception {
        AtomicInteger looks = new AtomicInteger();
        AfuFunction function = AfuFunction.of(ID, () -> slow(looks));
        try (AfuRoutine routine = AfuRoutine.of(function, end)) {
            assertThat(call(routine, MoodyAfu.ENDS, Duration.ofMinutes(1))).isZero();
            assertThat(looks).hasValueBetween(least, most);
        }
    }

    /// Takes 50000 cycles for a call.
    private static Afu slow(AtomicInteger looks) {
        CallRegisters call = new CallRegisters(ID);
        AtomicInteger cycles = new AtomicInteger();
        return (rx, tx) -> {
            call.clock(rx, tx);
            if (rx.c0.mmioRdValid && rx.c0.mmioAddress() * 4 == CallRegisters.STATUS) {
                looks.incrementAndGet();
            }
            if (call.job().running() && cycles.incrementAndGet() == 50_000) {
                call.job().end(0);
            }
        };
    }

    /// A function that interrupts nobody is polled, whoever would wait for an interrupt.
    @Test
    void theEndIsPolledWhereNoInterruptIsOffered() throws Exception {
        UUID id = UUID.randomUUID();
        AfuFunction function = AfuFunction.of(id, () -> new Silent(id));
        try (AfuRoutine routine = AfuRoutine.of(function, AfuRoutine.End.INTERRUPT)) {
            assertThat(call(routine, MoodyAfu.ENDS, Duration.ofMinutes(1))).isEqualTo(0x41);
        }
    }

    /// Has no register OFFERS, and tells code 0x41 without a fence, since it writes nothing.
    private static final class Silent implements Afu {
        private final CsrSpace csrs;

        Silent(UUID id) {
            csrs =
                    new CsrSpace(id)
                            .readWrite(CallRegisters.CONTROL, 0, Job.START)
                            .readOnly(CallRegisters.STATUS, 0)
                            .readWrite(CallRegisters.CALL)
                            .readWrite(CallRegisters.REGIONS);
        }

        @Override
        public void clock(Rx rx, Tx tx) {
            csrs.clock(rx, tx);
            if (csrs.written(CallRegisters.CONTROL)) {
                csrs.set(CallRegisters.STATUS, Job.DONE | 0x41 << Job.CODE_SHIFT);
            }
        }
    }

    /// The client ends its connection in the middle of a call.
    @Test
    void memoryThatIsTakenAwayIsOfNoConcernToTheNextOne() throws Exception {
        try (AfuRoutine routine = AfuRoutine.of(MOODY);
                ExecutorService calls = Executors.newSingleThreadExecutor()) {
            Arena arena = Arena.ofShared();
            MemorySegment pages = arena.allocate(4096, 4096);
            RoutineRegion region =
                    new RoutineRegion(0, 0, 0, pages.asSlice(0, 64), Optional.of(pages));
            MoodyAfu.reads.set(false);
            Future<Integer> code =
                    calls.submit(
                            () -> call(routine, MoodyAfu.READS_ON, Duration.ofMinutes(1), region));
            Eventually.until(MoodyAfu.reads::get);
            arena.close();
            assertThat(code.get()).isEqualTo(TargetError.FAILED.code());
            assertThat(call(routine, MoodyAfu.ENDS, Duration.ofMinutes(1))).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({CallRegisters.MOST_REGIONS + ", 0", "33, " + ReturnCode.WRONG_ARGUMENTS})
    void regionsAreAsManyAsThereAreRegistersFor(int regions, int code) throws Exception {
        RoutineRegion[] some = new RoutineRegion[regions];
        Arrays.setAll(
                some,
                i ->
                        new RoutineRegion(
                                i, 0, 0, MemorySegment.ofArray(new byte[8]), Optional.empty()));
        try (AfuRoutine routine = AfuRoutine.of(MOODY)) {
            assertThat(call(routine, MoodyAfu.ENDS, Duration.ofMinutes(1), some)).isEqualTo(code);
        }
    }

    @Test
    void theTraceShowsEachCallAndWhichHaveFailed() throws Exception {
        NodeTrace trace = new NodeTrace();
        try (AfuRoutine routine = AfuRoutine.of(MOODY)) {
            routine.show(trace);
            call(routine, MoodyAfu.ENDS, Duration.ofMinutes(1));
            call(routine, MoodyAfu.WRITES_NOWHERE, Duration.ofMinutes(1));
            call(routine, MoodyAfu.ENDS, Duration.ofMinutes(1));
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        trace.write(out);
        List<TraceFile.Slice> calls = TraceFile.read(out.toByteArray()).slices("function 7");
        assertThat(calls).hasSize(3).allMatch(call -> call.track().group().startsWith("FPGA "));
        assertThat(calls.get(0).name()).matches("call: [1-9]\\d* cycles");
        assertThat(calls.get(1).name()).matches("call that failed: [1-9]\\d* cycles");
        assertThat(calls.get(2).name()).matches("call: [1-9]\\d* cycles");
    }

    private static int call(AfuRoutine routine, int mood, Duration limit, RoutineRegion... regions)
            throws Exception {
        long deadline = System.nanoTime() + limit.toNanos();
        try {
            return routine.run(new RpcContext(7, mood, List.of(regions), List.of(), deadline));
        } catch (RoutineException e) {
            return e.returnCode();
        }
    }
}
