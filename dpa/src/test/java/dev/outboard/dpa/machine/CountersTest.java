package dev.outboard.dpa.machine;

import static dev.outboard.dpa.machine.ProcessFixture.OPTIONS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.MachineOptions.Log2Input;
import dev.outboard.dpa.machine.MachineOptions.Timing;
import dev.outboard.dpa.machine.unit.UnitCounters;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The counters of execution units, and the fixed-point functions as kernels call them.
class CountersTest {
    private static final String MODES = "dev.outboard.dpa.machine.ProcessFixture#modes";
    private static final String RUNS = "dev.outboard.dpa.machine.ProcessFixture#runs";
    private static final CycleCosts COSTS = new CycleCosts(7, 300, 50);

    static List<RunMode> inTurns() {
        return List.of(
                RunMode.check(new Trace(), 1),
                RunMode.weak(Profile.SEED, 1),
                RunMode.explore(Profile.SEED));
    }

    private static void sendThrough(DpaThread thread, ProcessFixture fixture) {
        thread.configureWindow(fixture.key.number());
        thread.configureOutbox(fixture.outbox);
    }

    /// One cycle for each operation, and more for those that reach memory.
    @ParameterizedTest
    @MethodSource("inTurns")
    @Requirement({"DPA-INT-1a", "DPA-INT-4"})
    void cyclesAreThoseOfTheOperations(RunMode mode) {
        ProcessFixture fixture =
                new ProcessFixture(
                        mode, OPTIONS.withTiming(new Timing(12_000_000_000L, 1_000, COSTS)));
        long window = fixture.region.address() + 64;
        List<Long> taken = new ArrayList<>();
        fixture.fine(thread -> {
            taken.clear();
            sendThrough(thread, fixture);
            List<Runnable> operations =
                    List.of(
                            () -> {},
                            () -> thread.memoryFence(Op.W, Op.W),
                            () -> thread.store64(AddressMap.HEAP, 1),
                            () -> thread.load32(AddressMap.HEAP + 8),
                            () ->
                                    thread.atomic64(
                                            AtomicOp.ADD, AddressMap.HEAP, 1, AtomicOrder.RELAXED),
                            () -> thread.store64(window, 1),
                            () -> thread.load64(window + 64),
                            () -> thread.store64(AddressMap.OUTBOX + AddressMap.SEND_DOORBELL, 1));
            for (Runnable operation : operations) {
                long begin = thread.cycles();
                operation.run();
                taken.add(thread.cycles() - begin - 1);
            }
        });
        assertThat(taken).containsExactly(0L, 1L, 8L, 8L, 8L, 301L, 301L, 51L);
    }

    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement({"DPA-INT-3a", "DPA-INT-5b"})
    void eachDeviceOperationIsRetiredOnce(RunMode mode) {
        ProcessFixture fixture = new ProcessFixture(mode);
        long[] counts = new long[2];
        fixture.fine(thread -> {
            long first = thread.instRet();
            counts[0] = thread.instRet() - first;
            first = thread.instRet();
            thread.store64(AddressMap.HEAP, 1);
            thread.load8(AddressMap.HEAP);
            thread.store8(AddressMap.GLOBALS, 1);
            thread.memoryFence(Op.W, Op.R);
            thread.memoryWriteback();
            thread.windowWriteback();
            thread.windowReadInv();
            thread.atomic32(AtomicOp.ADD, AddressMap.HEAP, 1, AtomicOrder.RELAXED);
            thread.loadReserved64(AddressMap.HEAP, AtomicOrder.RELAXED);
            thread.storeConditional64(AddressMap.HEAP, 1, AtomicOrder.RELAXED);
            thread.fxpPow2(1);
            thread.cycles();
            counts[1] = thread.instRet() - first;
        });
        assertThat(counts).as("the first read and what is between").containsExactly(1, 13);
    }

    @ParameterizedTest
    @MethodSource("inTurns")
    @Requirement({"DPA-INT-2a", "DPA-INT-4"})
    void timeIsThatOfCyclesAt1800Megahertz(RunMode mode) {
        for (long tickNanos : new long[] {Timing.DEFAULT.tickNanos(), 100}) {
            ProcessFixture fixture =
                    new ProcessFixture(
                            mode,
                            OPTIONS.withTiming(new Timing(12_000_000_000L, tickNanos, COSTS)));
            long[] taken = new long[2];
            fixture.fine(thread -> {
                thread.configureWindow(fixture.key.number());
                long cycles = thread.cycles();
                long time = thread.time();
                for (int i = 0; i < 60; i++) {
                    thread.load64(fixture.region.address() + 64);
                }
                taken[0] = thread.time() - time;
                taken[1] = thread.cycles() - cycles;
            });
            // 18,060 cycles of the loads take 10,033 ns.
            assertThat(taken[0])
                    .as("ticks of %d ns for %d cycles", tickNanos, taken[1])
                    .isBetween(10_033 / tickNanos, 10_033 / tickNanos + 1);
        }
        assertThat(Timing.DEFAULT.tickNanos()).as("1 µs").isEqualTo(1_000);
        assertThat(UnitCounters.nanos(1_800_000_000L * 3600)).isEqualTo(3_600_000_000_000L);
        assertThat(UnitCounters.nanos(9)).isEqualTo(5);
    }

    /// Those of a unit go on from one thread to the next.
    @ParameterizedTest
    @MethodSource(RUNS)
    @Requirement({"DPA-INT-1a", "DPA-INT-2a", "DPA-INT-3a", "DPA-INT-4"})
    void noCounterOfAUnitDecreases(RunMode mode) {
        ProcessFixture fixture = new ProcessFixture(mode, OPTIONS.withUnits(new UnitGrid(1, 1, 0)));
        List<long[]> seen = Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < 4; i++) {
            fixture.process.thread(
                    "thread " + i,
                    thread -> {
                        for (int round = 0; round < 50; round++) {
                            seen.add(new long[] {thread.cycles(), thread.time(), thread.instRet()});
                            thread.store64(AddressMap.HEAP, round);
                            if (round % 10 == 0) {
                                thread.yieldUnit();
                            }
                        }
                    });
        }
        fixture.runsToItsEnd();
        assertThat(seen).hasSize(200);
        for (int i = 1; i < seen.size(); i++) {
            assertThat(seen.get(i)[0]).as("cycles").isGreaterThan(seen.get(i - 1)[0]);
            assertThat(seen.get(i)[1]).as("time").isGreaterThanOrEqualTo(seen.get(i - 1)[1]);
            assertThat(seen.get(i)[2]).as("retired").isGreaterThan(seen.get(i - 1)[2]);
        }
    }

    @Test
    @Requirement("DPA-INT-4")
    void countersBeginSomewhereElseOnEachUnitAndWithEachSeed() {
        Set<Long> starts = new HashSet<>();
        for (long seed = 0; seed < 10; seed++) {
            for (int unit = 0; unit < 256; unit++) {
                UnitCounters counters = new UnitCounters(seed, unit, 1_000);
                starts.add(counters.cycles());
                starts.add(counters.time());
                starts.add(counters.instRet());
                assertThat(new UnitCounters(seed, unit, 1_000).cycles())
                        .isEqualTo(counters.cycles());
            }
        }
        assertThat(starts).as("all different").hasSize(3 * 2560);
    }

    /// DPA-INT-4: a function of the program and the seed.
    @Test
    @Requirement("DPA-INT-4")
    void inTurnsASeedGivesTheSameCountsAgain() {
        for (int kind = 0; kind < 3; kind++) {
            List<Long> first = counts(mode(kind, 5));
            assertThat(counts(mode(kind, 5))).isEqualTo(first);
            if (kind < 2) {
                assertThat(counts(mode(kind, 6))).isNotEqualTo(first);
            }
        }
    }

    private static RunMode mode(int kind, long seed) {
        return switch (kind) {
            case 0 -> RunMode.check(new Trace(), seed);
            case 1 -> RunMode.weak(Profile.SEED, seed);
            default -> RunMode.explore(Profile.SEED);
        };
    }

    private static List<Long> counts(RunMode mode) {
        ProcessFixture fixture = new ProcessFixture(mode);
        List<Long> counts = new ArrayList<>();
        fixture.fine(thread -> {
            counts.clear();
            thread.store64(AddressMap.HEAP, 1);
            counts.addAll(List.of(thread.cycles(), thread.time(), thread.instRet()));
        });
        return counts;
    }

    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement({"DPA-INT-7", "DPA-INT-8", "DPA-INT-9", "DPA-INT-10"})
    void kernelsCallTheFixedPointFunctions(RunMode mode) {
        for (Log2Input input : Log2Input.values()) {
            ProcessFixture fixture = new ProcessFixture(mode, OPTIONS.withLog2Input(input));
            int[] results = new int[4];
            fixture.fine(thread -> {
                results[0] = thread.fxpLog2(3);
                results[1] = thread.fxpLog2(0);
                results[2] = thread.fxpRcp(-3);
                results[3] = thread.fxpPow2(103872);
            });
            assertThat(results)
                    .containsExactly(
                            input == Log2Input.INTEGER ? 103872 : 103872 - 0x10_0000,
                            0x8000_0000,
                            -1431655765,
                            196608);
        }
        assertThat(MachineOptions.DEFAULT.log2Input()).isEqualTo(Log2Input.INTEGER);
    }
}
