package dev.outboard.dpa.machine;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.outboard.dpa.machine.MachineOptions.Timing;
import dev.outboard.dpa.machine.RunResult.End;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.dpa.process.DpaProgram;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/// Operations under FAST allocate nothing once they are compiled.
class AllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /// The compiler decides how many rounds it takes until code is warm.
    private static final int MAX_ROUNDS = 10_000;

    private static final int TIMES = 1_000;

    // Globals of the program.
    private static final long OPERATION = AddressMap.GLOBALS;
    private static final long LEAST_BYTES = OPERATION + 8;
    private static final long ROUNDS_TAKEN = LEAST_BYTES + 8;

    private static final long DOORBELLS = AddressMap.OUTBOX + AddressMap.SEND_DOORBELL;
    private static final int MEASURED_QUEUE = 7;
    private static final int ROUND_QUEUE = 8;

    /// Keeps results, so that the compiler may not leave out what they come from.
    static volatile @Nullable Object kept;

    /// What is done with 16 bytes of the heap and of a window.
    enum Operation {
        LOAD {
            @Override
            long run(DpaThread thread, long heap, long window) {
                return thread.load8(heap)
                        + thread.load16(heap)
                        + thread.load32(heap)
                        + thread.load64(heap);
            }
        },
        STORE {
            @Override
            long run(DpaThread thread, long heap, long window) {
                thread.store8(heap, 1);
                thread.store16(heap, 2);
                thread.store32(heap, 3);
                thread.store64(heap, 4);
                return 0;
            }
        },
        WINDOW {
            @Override
            long run(DpaThread thread, long heap, long window) {
                thread.store64(window, 1);
                thread.store8(window + 8, 2);
                return thread.load64(window) + thread.load8(window + 8);
            }
        },
        FENCE {
            @Override
            long run(DpaThread thread, long heap, long window) {
                thread.systemFence();
                thread.fence(Space.HEAP, Op.W, Op.W);
                return 0;
            }
        },
        WRITEBACK {
            @Override
            long run(DpaThread thread, long heap, long window) {
                thread.memoryWriteback();
                thread.windowWriteback();
                thread.windowReadInv();
                return 0;
            }
        },
        ATOMIC {
            @Override
            long run(DpaThread thread, long heap, long window) {
                return thread.atomic32(AtomicOp.ADD, heap, 1, AtomicOrder.RELAXED)
                        + thread.atomic64(AtomicOp.MAX, heap, 1, AtomicOrder.ACQUIRE_RELEASE);
            }
        },
        RESERVATION {
            @Override
            long run(DpaThread thread, long heap, long window) {
                long loaded = thread.loadReserved64(heap, AtomicOrder.ACQUIRE);
                thread.store64(heap + 8, loaded);
                return thread.storeConditional64(heap, 7, AtomicOrder.RELEASE) ? 1 : 0;
            }
        },
        SPIN_LOCK {
            @Override
            long run(DpaThread thread, long heap, long window) {
                thread.spinLock(heap + 8);
                thread.spinUnlock(heap + 8);
                return 0;
            }
        },
        DOORBELL {
            @Override
            long run(DpaThread thread, long heap, long window) {
                thread.store64(DOORBELLS, Doorbell.send(MEASURED_QUEUE, 1));
                return 0;
            }
        },
        /// Which shows that the test would see it.
        NEW_OBJECT {
            @Override
            long run(DpaThread thread, long heap, long window) {
                kept = new Object();
                return 0;
            }
        };

        abstract long run(DpaThread thread, long heap, long window);
    }

    /// Measures an operation, as often as it takes. Nobody else does anything meanwhile: the NIC
    /// takes the doorbells of a round after it.
    static final class Measurement implements DpaProgram {
        @Override
        public void setUp(DpaProcess process) {
            ExternalRegion region = process.external().add("host", ExternalKind.HOST, 64);
            int key = process.external().register(region, Rights.READ_WRITE).number();
            long heap = process.heap().allocate(16);
            long taken = process.heap().allocate(8);
            process.write(heap, new byte[16]);
            process.write64(taken, 0);
            int outbox = process.createOutbox();
            process.thread(
                    "measurement",
                    thread -> {
                        thread.configureWindow(key);
                        thread.configureOutbox(outbox);
                        measure(thread, heap, thread.window(region.address()), taken);
                    });
            process.nicServer("NIC", nic -> takeDoorbells(nic, taken));
        }

        private static void measure(DpaThread thread, long heap, long window, long taken) {
            Operation operation = Operation.values()[(int) thread.load64(OPERATION)];
            long least = Long.MAX_VALUE;
            long sum = 0;
            int rounds = 0;
            while (rounds < MAX_ROUNDS && least > 0) {
                long before = THREADS.getTotalThreadAllocatedBytes();
                for (int i = 0; i < TIMES; i++) {
                    sum += operation.run(thread, heap, window);
                }
                least = Math.min(least, THREADS.getTotalThreadAllocatedBytes() - before);
                rounds++;
                thread.store64(DOORBELLS, Doorbell.send(ROUND_QUEUE, rounds));
                while (thread.load64(taken) != rounds) {}
            }
            kept = sum;
            thread.store64(LEAST_BYTES, least);
            thread.store64(ROUNDS_TAKEN, rounds);
        }

        private static void takeDoorbells(Nic nic, long taken) {
            for (long rounds = 1; ; rounds++) {
                nic.awaitDoorbell(AddressMap.SEND_DOORBELL, ROUND_QUEUE);
                while (nic.pollDoorbell(AddressMap.SEND_DOORBELL, MEASURED_QUEUE).isPresent()) {
                    // One less.
                }
                nic.store64(taken, rounds);
            }
        }
    }

    private static final Timing NO_WATCHDOG =
            new Timing(Long.MAX_VALUE, Timing.DEFAULT.tickNanos(), CycleCosts.DEFAULT);

    /// The fewest bytes that so many operations of a round have allocated.
    private static long leastBytes(Operation operation) {
        MachineOptions options =
                MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL).withTiming(NO_WATCHDOG);
        DpaProcess process = DpaProcess.open(options, ProgramImage.globals(24), RunMode.fast());
        process.loadTrusted(Measurement.class).setUp(process);
        process.write64(OPERATION, operation.ordinal());
        RunResult result = process.run();
        assertThat(result.end()).as(result.toString()).isEqualTo(End.DONE);
        assertThat(process.read64(ROUNDS_TAKEN)).isPositive();
        return process.read64(LEAST_BYTES);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NEW_OBJECT")
    void allocatesNothing(Operation operation) {
        assertThat(leastBytes(operation)).isZero();
    }

    @Test
    void whatIsAllocatedIsSeen() {
        assertThat(leastBytes(Operation.NEW_OBJECT)).isGreaterThanOrEqualTo(8 * TIMES);
    }
}
