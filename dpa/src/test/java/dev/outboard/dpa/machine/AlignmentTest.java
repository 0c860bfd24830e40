package dev.outboard.dpa.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.dpa.process.DpaProgram;
import dev.outboard.testkit.Requirement;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Accesses that their size does not divide, in each run mode and each kind of memory.
class AlignmentTest {
    private static final List<RunMode> MODES =
            List.of(RunMode.fast(), RunMode.check(Observer.NONE, 1), RunMode.weak(Profile.SEED, 1));

    private static Fault fault(RunMode mode, Kernel access) {
        DpaProcess process = LitmusKernels.open(mode);
        process.thread("access", access);
        return process.run().crash().orElseThrow().fault();
    }

    @Test
    @Requirement({"DPA-MEM-4", "DPA-HW-7a"})
    void anAccessThatItsSizeDoesNotDivideIsAFault() {
        for (RunMode mode : MODES) {
            for (long start : new long[] {AddressMap.HEAP, AddressMap.GLOBALS}) {
                for (int offset = 1; offset < 8; offset++) {
                    long at = start + offset;
                    if (offset % 2 != 0) {
                        assertThat(fault(mode, t -> t.load16(at))).isEqualTo(Fault.MISALIGNED_LOAD);
                        assertThat(fault(mode, t -> t.store16(at, 1)))
                                .isEqualTo(Fault.MISALIGNED_STORE);
                    }
                    if (offset % 4 != 0) {
                        assertThat(fault(mode, t -> t.load32(at))).isEqualTo(Fault.MISALIGNED_LOAD);
                        assertThat(fault(mode, t -> t.store32(at, 1)))
                                .isEqualTo(Fault.MISALIGNED_STORE);
                    }
                    assertThat(fault(mode, t -> t.load64(at))).isEqualTo(Fault.MISALIGNED_LOAD);
                    assertThat(fault(mode, t -> t.store64(at, 1)))
                            .isEqualTo(Fault.MISALIGNED_STORE);
                    assertThat(
                                    fault(
                                            mode,
                                            t ->
                                                    t.atomic64(
                                                            AtomicOp.ADD,
                                                            at,
                                                            1,
                                                            AtomicOrder.RELAXED)))
                            .isEqualTo(Fault.MISALIGNED_STORE);
                }
            }
            long window = AddressMap.WINDOW | 4;
            assertThat(fault(mode, t -> t.load64(window))).isEqualTo(Fault.MISALIGNED_LOAD);
            assertThat(fault(mode, t -> t.store64(AddressMap.OUTBOX + 4, 1)))
                    .isEqualTo(Fault.MISALIGNED_STORE);
        }
    }

    /// One access, told by two words of the heap: the place, and the size, of a store below 0. A
    /// program that is loaded is rewritten for FAST, so that its accesses take another way.
    static final class Access implements DpaProgram {
        static final long PLACE = AddressMap.HEAP + 64;
        static final long SIZE = AddressMap.HEAP + 72;

        @Override
        public void setUp(DpaProcess process) {
            process.thread("access", Access::access);
        }

        private static void access(DpaThread thread) {
            long at = thread.load64(PLACE);
            switch ((int) thread.load64(SIZE)) {
                case 2 -> thread.load16(at);
                case 4 -> thread.load32(at);
                case 8 -> thread.load64(at);
                case -2 -> thread.store16(at, 1);
                case -4 -> thread.store32(at, 1);
                default -> thread.store64(at, 1);
            }
        }
    }

    @Test
    @Requirement({"DPA-MEM-4", "DPA-HW-7a"})
    void itIsAFaultInALoadedProgramToo() {
        for (RunMode mode : MODES) {
            for (int size = 2; size <= 8; size *= 2) {
                for (int offset = 1; offset < 8; offset++) {
                    assertThat(ofProgram(mode, offset, size))
                            .isEqualTo(
                                    offset % size == 0
                                            ? Optional.empty()
                                            : Optional.of(Fault.MISALIGNED_LOAD));
                    assertThat(ofProgram(mode, offset, -size))
                            .isEqualTo(
                                    offset % size == 0
                                            ? Optional.empty()
                                            : Optional.of(Fault.MISALIGNED_STORE));
                }
            }
        }
    }

    private static Optional<Fault> ofProgram(RunMode mode, int offset, int size) {
        DpaProcess process = LitmusKernels.open(mode);
        process.write64(Access.PLACE, AddressMap.HEAP + offset);
        process.write64(Access.SIZE, size);
        process.load(Access.class).setUp(process);
        return process.run().crash().map(CrashReport::fault);
    }
}
