package dev.outboard.node.routine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.naa.ReturnCode;
import dev.outboard.naa.server.RoutineException;
import dev.outboard.naa.server.RoutineRegion;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.naa.server.RpcContext;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Nobody waits for the result any more: every routine of the node ends soon.
class CancellationTest {
    private static final long MEBIBYTE = 1 << 20;

    /// What a routine may still compute once nobody waits: processor time, which other programs on
    /// the machine do not count towards.
    private static final Duration SOON = Duration.ofMillis(100);

    /// The best of so many counts, as the compiler may be at work during the first ones.
    private static final int ATTEMPTS = 5;

    /// Calls that take far longer than what a routine may take to notice.
    enum LongCall {
        INCREMENT(1),
        ADD_TWO(2),
        VECTOR_ADD(10),
        SGEMM(11),
        SHA_256(12),
        EDGES(13),
        FFT(14);

        private final int functionCode;

        LongCall(int functionCode) {
            this.functionCode = functionCode;
        }

        private List<Long> sizes() {
            return switch (this) {
                case INCREMENT, ADD_TWO -> List.of(512 * MEBIBYTE);
                case VECTOR_ADD -> List.of(256 * MEBIBYTE, 256 * MEBIBYTE, 256 * MEBIBYTE);
                case SGEMM -> {
                    long matrix = 64 * MEBIBYTE;
                    yield List.of((long) Sgemm.HEADER_BYTES, matrix, matrix, matrix);
                }
                case SHA_256 -> List.of(256 * MEBIBYTE, (long) Sha256.DIGEST_BYTES);
                case EDGES -> {
                    long pixels = 256 * MEBIBYTE;
                    yield List.of((long) EdgeDetection.HEADER_BYTES, 3 * pixels, pixels);
                }
                case FFT -> List.of(256 * MEBIBYTE, 256 * MEBIBYTE);
            };
        }

        List<RoutineRegion> regions(Arena arena) {
            List<RoutineRegion> regions = new ArrayList<>();
            for (long size : sizes()) {
                MemorySegment memory = arena.allocate(size, 4096);
                regions.add(new RoutineRegion(regions.size(), 0, 0, memory));
            }
            MemorySegment header = regions.getFirst().memory();
            if (this == SGEMM) {
                int side = 4096;
                for (int i = 0; i < 3; i++) {
                    header.set(ValueLayout.JAVA_INT, 4L * i, side);
                }
            } else if (this == EDGES) {
                EdgeDetection.writeHeader(header, 1 << 14, 1 << 14, 3);
            }
            return regions;
        }
    }

    @Test
    void everyRoutineThatComputesIsHere() {
        assertThat(RoutineCatalog.ROUTINES.routines())
                .extracting(RoutineSpec::functionCode)
                .filteredOn(code -> code != RoutineCatalog.EMPTY)
                .containsExactlyInAnyOrderElementsOf(
                        List.of(LongCall.values()).stream()
                                .map(call -> call.functionCode)
                                .toList());
    }

    @ParameterizedTest
    @EnumSource
    void aRoutineEndsSoonAfterNobodyWaitsAnyMore(LongCall call) throws Exception {
        List<Duration> overtime = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            List<RoutineRegion> regions = call.regions(arena);
            Duration best = SOON;
            for (int i = 0; i < ATTEMPTS && best.compareTo(SOON) >= 0; i++) {
                Duration late = overtime(call.functionCode, regions);
                overtime.add(late);
                best = late;
            }
            assertThat(best).as("processor time after the end: " + overtime).isLessThan(SOON);
        }
    }

    /// The processor time that a call of 20 ms takes beyond these.
    private static Duration overtime(int functionCode, List<RoutineRegion> regions)
            throws Exception {
        var threads = ManagementFactory.getThreadMXBean();
        Duration allowed = Duration.ofMillis(20);
        RoutineSpec spec = RoutineCatalog.ROUTINES.find(functionCode).orElseThrow();
        long start = threads.getCurrentThreadCpuTime();
        RpcContext context =
                new RpcContext(
                        functionCode, 0, regions, List.of(), System.nanoTime() + allowed.toNanos());
        int code;
        try {
            code = spec.routine().run(context);
        } catch (RoutineException e) {
            code = e.returnCode();
        }
        assertThat(code).isEqualTo(ReturnCode.TIMEOUT);
        return Duration.ofNanos(threads.getCurrentThreadCpuTime() - start).minus(allowed);
    }
}
