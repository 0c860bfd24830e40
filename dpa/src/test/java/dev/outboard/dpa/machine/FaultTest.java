package dev.outboard.dpa.machine;

import static dev.outboard.dpa.machine.ProcessFixture.OPTIONS;
import static dev.outboard.dpa.machine.ProcessFixture.STACK_BYTES;
import static dev.outboard.dpa.machine.ProcessFixture.assertFault;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.checker.Checker;
import dev.outboard.dpa.checker.Finding;
import dev.outboard.dpa.checker.Rule;
import dev.outboard.dpa.machine.MachineOptions.Storage;
import dev.outboard.dpa.machine.MachineOptions.Timing;
import dev.outboard.dpa.machine.RunMode.Turns;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What the machine forbids in DPA memory ends the process, in every mode alike.
class FaultTest {
    private static final String MODES = "dev.outboard.dpa.machine.ProcessFixture#modes";
    private static final String RUNS = "dev.outboard.dpa.machine.ProcessFixture#runs";

    private interface Accessor {
        void access(DpaThread thread, long address);
    }

    private record Access(int lengthBytes, int offset, boolean store, Accessor accessor) {}

    private static final List<Access> MISALIGNED =
            List.of(
                    new Access(8, 4, false, DpaThread::load64),
                    new Access(4, 2, false, DpaThread::load32),
                    new Access(2, 1, false, DpaThread::load16),
                    new Access(8, 4, true, (thread, address) -> thread.store64(address, -1)),
                    new Access(4, 2, true, (thread, address) -> thread.store32(address, -1)),
                    new Access(2, 1, true, (thread, address) -> thread.store16(address, -1)),
                    new Access(8, 4, true, FaultTest::swap64),
                    new Access(4, 2, true, FaultTest::swap32));

    private static void swap64(DpaThread thread, long address) {
        thread.atomic64(AtomicOp.SWAP, address, -1, AtomicOrder.RELAXED);
    }

    private static void swap32(DpaThread thread, long address) {
        thread.atomic32(AtomicOp.SWAP, address, -1, AtomicOrder.RELAXED);
    }

    /// Each kind of access, in each region, a bit aside.
    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement({"DPA-MEM-4", "DPA-HW-7a", "DPA-LIT-39", "DPA-ERR-1"})
    void misalignedAccessesTouchNothing(RunMode mode) {
        for (int region = 0; region < 4; region++) {
            for (Access access : MISALIGNED) {
                ProcessFixture fixture = new ProcessFixture(mode);
                long[] starts = {
                    AddressMap.HEAP,
                    AddressMap.stack(0),
                    AddressMap.GLOBALS,
                    fixture.region.address() + 64
                };
                long start = starts[region];
                long after = AddressMap.HEAP + 128;
                fixture.culprit(thread -> {
                    thread.configureWindow(fixture.key.number());
                    access.accessor.access(thread, start + access.offset);
                    thread.store64(after, 1);
                });
                fixture.process.write64(start, 0x1111_2222_3333_4444L);
                fixture.process.write64(start + 8, 0x5555_6666_7777_8888L);
                CrashReport crash = fixture.crash();
                assertFault(
                        crash,
                        access.store ? Fault.MISALIGNED_STORE : Fault.MISALIGNED_LOAD,
                        access.store ? 3 : 2,
                        start + access.offset,
                        access.lengthBytes);
                // A stack is poisoned when a checked run begins with it.
                boolean poison = region == 1 && mode instanceof Turns turns && turns.isChecked();
                long[] left =
                        poison
                                ? new long[] {0xA5A5_A5A5_A5A5_A5A5L, 0xA5A5_A5A5_A5A5_A5A5L}
                                : new long[] {0x1111_2222_3333_4444L, 0x5555_6666_7777_8888L};
                assertThat(fixture.process.read64(start)).isEqualTo(left[0]);
                assertThat(fixture.process.read64(start + 8)).isEqualTo(left[1]);
                assertThat(fixture.process.read64(after)).as("what comes after it").isZero();
            }
        }
    }

    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement("DPA-ERR-2a")
    void accessesOutsideAllRegions(RunMode mode) {
        long[] wild = {
            0,
            8,
            AddressMap.CODE - 8,
            AddressMap.CODE + 8,
            AddressMap.GLOBALS - 8,
            AddressMap.GLOBALS + ProcessFixture.GLOBAL_BYTES,
            AddressMap.HEAP - 8,
            AddressMap.HEAP + ProcessFixture.HEAP_BYTES,
            AddressMap.stack(0) + STACK_BYTES,
            AddressMap.stack(7),
            AddressMap.OUTBOX + AddressMap.PAGE_BYTES,
            Long.MAX_VALUE & -8
        };
        for (long address : wild) {
            assertFault(
                    crash(mode, thread -> thread.load64(address)), Fault.BAD_LOAD, 4, address, 8);
            assertFault(
                    crash(mode, thread -> thread.store8(address, 1)),
                    Fault.BAD_STORE,
                    5,
                    address,
                    1);
            assertFault(
                    crash(mode, thread -> swap32(thread, address)), Fault.BAD_STORE, 5, address, 4);
        }
    }

    private static CrashReport crash(RunMode mode, Kernel kernel) {
        return new ProcessFixture(mode).crash(kernel);
    }

    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement({"DPA-HW-8a", "DPA-ERR-4a"})
    void constantsAreReadButNotWritten(RunMode mode) {
        ProcessFixture fixture = new ProcessFixture(mode);
        assertFault(
                fixture.crash(thread -> {
                    if (thread.load64(AddressMap.CODE) == 0x0807_0605_0403_0201L) {
                        thread.store8(AddressMap.CODE + 1, 7);
                    }
                }),
                Fault.READ_ONLY,
                15,
                AddressMap.CODE + 1,
                1);
        assertThat(fixture.process.read(AddressMap.CODE, 8)).isEqualTo(ProcessFixture.CONSTANTS);
        assertFault(
                crash(mode, thread -> swap64(thread, AddressMap.CODE)),
                Fault.READ_ONLY,
                15,
                AddressMap.CODE,
                8);
    }

    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement({"DPA-HW-9", "DPA-ERR-4c"})
    void aStackEndsAtItsGuard(RunMode mode) {
        long lowest = AddressMap.stack(0);
        assertFault(
                crash(
                        mode,
                        thread -> {
                            thread.store64(lowest, 1);
                            thread.store64(lowest - 8, 1);
                        }),
                Fault.STACK_OVERFLOW,
                12,
                lowest - 8,
                8);
        assertFault(
                crash(mode, thread -> thread.load8(lowest - AddressMap.PAGE_BYTES)),
                Fault.STACK_OVERFLOW,
                12,
                lowest - AddressMap.PAGE_BYTES,
                1);
        CrashReport taken =
                crash(
                        mode,
                        thread -> {
                            for (int i = 0; i < STACK_BYTES / 64; i++) {
                                thread.store64(thread.allocateStack(64), i);
                            }
                            thread.allocateStack(1);
                        });
        assertThat(taken.fault()).isEqualTo(Fault.STACK_OVERFLOW);
        assertThat(taken.detail()).contains("1 bytes more", "0 that are free of " + STACK_BYTES);
        assertThat(crash(mode, thread -> recurse(thread, Long.MAX_VALUE)).fault())
                .isEqualTo(Fault.STACK_OVERFLOW);
    }

    private static long recurse(DpaThread thread, long depth) {
        return depth == 0 ? 0 : recurse(thread, depth - 1) + thread.number();
    }

    @ParameterizedTest
    @MethodSource(RUNS)
    @Requirement({"DPA-HW-3", "DPA-ERR-16"})
    void theWatchdogEndsAThreadThatKeepsItsUnit(RunMode mode) {
        long nanos = 20_000;
        assertThat(Timing.DEFAULT.watchdogNanos()).isEqualTo(12_000_000_000L);
        ProcessFixture fixture =
                new ProcessFixture(
                        mode,
                        OPTIONS.withTiming(
                                new Timing(nanos, Timing.DEFAULT.tickNanos(), CycleCosts.DEFAULT)));
        CrashReport crash =
                fixture.crash(thread -> {
                    for (long i = 0; ; i++) {
                        thread.store64(AddressMap.HEAP, i);
                    }
                });
        assertThat(crash.fault()).isEqualTo(Fault.WATCHDOG);
        assertThat(crash.fault().code()).isEqualTo(11);
        assertThat(crash.detail()).contains(nanos + " ns");
        assertThat(crash.place().file()).isEqualTo("FaultTest.java");
        assertThat(crash.place().function()).contains("theWatchdogEndsAThread");
        assertThat(crash.place().line()).isPositive();
    }

    /// Work that takes as long, but gives its unit away, goes on; so do activations of a handler.
    @ParameterizedTest
    @MethodSource(RUNS)
    @Requirement("DPA-HW-3")
    void theWatchdogBeginsAnewWithEachUnit(RunMode mode) {
        // FAST looks at the clock from time to time only.
        boolean fast = mode instanceof RunMode.Fast;
        int steps = fast ? 10_000 : 50;
        Timing timing = new Timing(fast ? 1_000_000 : 2_000, 1_000, CycleCosts.DEFAULT);
        MachineOptions options = OPTIONS.withUnits(new UnitGrid(1, 1, 0)).withTiming(timing);
        ProcessFixture fixture = new ProcessFixture(mode, options);
        for (int i = 0; i < 2; i++) {
            fixture.process.thread(
                    "patient " + i,
                    thread -> {
                        for (int round = 0; round < 20; round++) {
                            for (int step = 0; step < steps; step++) {
                                thread.store64(AddressMap.HEAP, step);
                                thread.memoryWriteback();
                            }
                            thread.yieldUnit();
                        }
                    });
        }
        fixture.runsToItsEnd();
    }

    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement("DPA-ERR-3")
    void aStrictHeapHasBlocksOnly(RunMode mode) {
        MachineOptions strict =
                OPTIONS.withStorage(new Storage(ProcessFixture.HEAP_BYTES, STACK_BYTES, true));
        for (MachineOptions options : List.of(OPTIONS, strict)) {
            for (int outside = 0; outside < 2; outside++) {
                ProcessFixture fixture = new ProcessFixture(mode, options);
                long first = fixture.process.heap().allocate(60);
                long second = fixture.process.heap().allocate(64);
                fixture.process.heap().free(second);
                long address = outside == 0 ? first + 60 : second;
                Kernel kernel =
                        thread -> {
                            thread.store32(first + 56, 1);
                            thread.load32(address);
                        };
                if (options.equals(strict)) {
                    assertFault(fixture.crash(kernel), Fault.BAD_LOAD, 4, address, 4);
                } else {
                    fixture.fine(kernel);
                }
            }
        }
    }

    @Test
    @Requirement("DPA-ERR-3")
    void aCheckedRunReportsWhatIsInNoBlock() {
        Checker checker = new Checker(Profile.SEED, false);
        ProcessFixture fixture = new ProcessFixture(RunMode.check(checker, 1));
        long first = fixture.process.heap().allocate(60);
        long second = fixture.process.heap().allocate(64);
        fixture.process.heap().free(second);
        fixture.fine(thread -> {
            thread.store32(first + 60, 1);
            thread.store32(second, 1);
        });
        assertThat(checker.findings())
                .extracting(Finding::rule)
                .containsExactly(Rule.HEAP_OOB, Rule.USE_AFTER_FREE);
    }

    /// Name, unit, place, and the latest operations with the one that faults last.
    @ParameterizedTest
    @MethodSource(RUNS)
    void aCrashReportSaysWhoAndWhere(RunMode mode) {
        CrashReport crash =
                crash(
                        mode,
                        thread -> {
                            thread.store64(AddressMap.HEAP, 1);
                            thread.memoryWriteback();
                            thread.memoryFence(Op.W, Op.RW);
                            thread.store16(AddressMap.HEAP + 4096 + 2, 1);
                        });
        assertThat(crash.thread()).isEqualTo("culprit");
        assertThat(crash.unit()).isZero();
        assertThat(crash.place().file()).isEqualTo("FaultTest.java");
        assertThat(crash.place().function()).contains("aCrashReportSaysWhoAndWhere");
        assertThat(crash.latest())
                .extracting(MemoryOperation::toString)
                .containsExactly(
                        "STORE 8 bytes at 0x100000000",
                        "MEMORY_WRITEBACK",
                        "FENCE",
                        "STORE 2 bytes at 0x100001002");
        assertThat(crash.text())
                .contains("'culprit' on execution unit 0")
                .contains("store outside all regions (code 5): 2 bytes at 0x100001002")
                .contains("FaultTest.java:" + crash.place().line());
    }

    /// A mistake of the program is to the process what an illegal instruction is.
    @ParameterizedTest
    @MethodSource(RUNS)
    void anExceptionOfAKernelIsAFault(RunMode mode) {
        CrashReport crash = crash(mode, thread -> new ArrayList<Long>().getFirst());
        assertThat(crash.fault()).isEqualTo(Fault.ILLEGAL_INSTRUCTION);
        assertThat(crash.fault().code()).isEqualTo(1);
        assertThat(crash.detail()).contains("NoSuchElementException");
        assertThat(crash.place().file()).isEqualTo("FaultTest.java");
    }

    /// Others stop, and nothing of the process runs any more.
    @ParameterizedTest
    @MethodSource(RUNS)
    void aFaultEndsTheWholeProcess(RunMode mode) {
        ProcessFixture fixture = new ProcessFixture(mode);
        fixture.process.write64(AddressMap.HEAP, 0);
        fixture.process.thread(
                "endless",
                thread -> {
                    while (thread.load64(AddressMap.HEAP) == 0) {}
                });
        fixture.process.nic("waits", nic -> nic.awaitDoorbell(AddressMap.SEND_DOORBELL, 1));
        assertThat(fixture.crash(thread -> thread.load64(0)).thread()).isEqualTo("culprit");
    }
}
