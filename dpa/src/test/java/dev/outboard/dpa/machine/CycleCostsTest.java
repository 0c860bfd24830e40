package dev.outboard.dpa.machine;

import static dev.outboard.dpa.machine.ProcessFixture.OPTIONS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.machine.MachineOptions.Storage;
import dev.outboard.dpa.machine.MachineOptions.Timing;
import dev.outboard.dpa.machine.ReceivedCosts.Place;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// What loads and stores cost by the class of memory, and the profile of the BlueField-3.
class CycleCostsTest {
    private static final int MIB = 1 << 20;
    private static final int LINES = 600;
    private static final int LINE = 64;

    /// Where the NIC says that it has written: in no block of the heap.
    private static final long FLAG = AddressMap.GLOBALS + 8;

    private static final MachineOptions ROOMY =
            OPTIONS.withStorage(new Storage(16 * MIB, ProcessFixture.STACK_BYTES, false));

    /// In which lines have first loads.
    static List<RunMode> turns() {
        return List.of(
                RunMode.check(new Trace(), 1),
                RunMode.weak(Profile.SEED, 1),
                RunMode.checkWeak(new Trace(), Profile.BF3, 2));
    }

    private static MachineOptions with(CycleCosts costs) {
        return ROOMY.withTiming(Timing.DEFAULT.withCosts(costs));
    }

    /// A NIC writes to some blocks of the heap, most of all to the first one; a thread loads twice
    /// from each line there.
    ///
    /// @param freed how many of the last blocks are given back before the loads
    /// @return the cycles of the first loads, then those of the second ones
    private static List<List<Long>> loads(
            RunMode mode, CycleCosts costs, int freed, long... blockBytes) {
        ProcessFixture fixture = new ProcessFixture(mode, with(costs));
        long[] blocks = new long[blockBytes.length];
        for (int i = 0; i < blocks.length; i++) {
            blocks[i] = fixture.process.heap().allocate(blockBytes[i]);
        }
        fixture.process.nic(
                "NIC",
                nic -> {
                    for (long block : blocks) {
                        nic.store64(block + 8, 1);
                    }
                    for (int i = 0; i < LINES; i++) {
                        nic.store64(blocks[0] + (long) i * LINE, i);
                    }
                    for (int i = blocks.length - freed; i < blocks.length; i++) {
                        fixture.process.heap().free(blocks[i]);
                    }
                    nic.order();
                    nic.store64(FLAG, 1);
                });
        List<List<Long>> taken = List.of(new ArrayList<>(), new ArrayList<>());
        fixture.fine(thread -> {
            while (thread.load64(FLAG) == 0) {
                // Not yet.
            }
            for (int i = 0; i < LINES; i++) {
                for (int word = 0; word < 2; word++) {
                    long begin = thread.cycles();
                    thread.load64(blocks[0] + (long) i * LINE + word * 32L);
                    taken.get(word).add(thread.cycles() - begin - 1);
                }
            }
        });
        return taken;
    }

    private static double share(List<Long> taken, int from, int to) {
        return (double) taken.stream().filter(t -> t >= from && t <= to).count() / taken.size();
    }

    private static void assertCached(List<Long> taken) {
        Offset<Double> off = Offset.offset(0.08);
        assertThat(share(taken, 65, 65)).isCloseTo(2.0 / 3, off);
        assertThat(share(taken, 130, 130)).isCloseTo(1.0 / 4, off);
        assertThat(share(taken, 560, 900)).isCloseTo(1.0 / 12, Offset.offset(0.05));
        assertThat(taken).allMatch(t -> t == 65 || t == 130 || (t >= 560 && t <= 900));
    }

    @ParameterizedTest
    @MethodSource("turns")
    @Requirement("DPA-INT-13a")
    void theFirstLoadOfAReceivedLineFindsItInTheCacheByChance(RunMode mode) {
        List<List<Long>> taken = loads(mode, CycleCosts.BF3, 0, MIB);
        assertCached(taken.getFirst());
        assertThat(taken.getLast()).as("the second loads").containsOnly(11L);
    }

    @ParameterizedTest
    @MethodSource("turns")
    @Requirement("DPA-INT-13b")
    void aReceivedLineIsFarAwayIfTheNicWritesToMoreThanTheCacheHolds(RunMode mode) {
        assertThat(loads(mode, CycleCosts.BF3, 0, 8 * MIB).getFirst()).containsOnly(720L);
        assertThat(loads(mode, CycleCosts.BF3, 0, MIB, 2 * MIB + 1).getFirst()).containsOnly(720L);
        assertCached(loads(mode, CycleCosts.BF3, 0, MIB, 2 * MIB).getFirst());
        assertCached(loads(mode, CycleCosts.BF3, 1, MIB, 8 * MIB).getFirst());
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "MMIO")
    @Requirement({"DPA-INT-4", "DPA-INT-13c"})
    void theKindOfMemoryBehindAWindowDecidesWhatItCosts(ExternalKind kind) {
        for (RunMode mode : CountersTest.inTurns()) {
            ProcessFixture fixture = new ProcessFixture(mode, with(CycleCosts.BF3));
            ExternalMemory external = fixture.process.external();
            ExternalRegion region = external.add("other", kind, 64);
            ExternalKey key = external.register(region, Rights.READ_WRITE);
            long[] taken = new long[4];
            fixture.fine(thread -> {
                thread.configureWindow(key.number());
                long begin = thread.cycles();
                thread.load64(region.address());
                taken[0] = thread.cycles() - begin - 1;
                begin = thread.cycles();
                thread.store64(region.address(), 1);
                taken[1] = thread.cycles() - begin - 1;
                begin = thread.cycles();
                thread.store64(AddressMap.HEAP, 1);
                taken[2] = thread.cycles() - begin - 1;
                begin = thread.cycles();
                thread.load64(AddressMap.HEAP + 8);
                taken[3] = thread.cycles() - begin - 1;
            });
            long window = kind == ExternalKind.ARM ? 400 : 601;
            assertThat(taken).as("%s", mode).containsExactly(window, window, 11, 11);
        }
    }

    @Test
    @Requirement("DPA-INT-13d")
    void whatAnAccessTakesDecidesNoOrder() {
        for (long seed = 0; seed < 5; seed++) {
            Trace flat = new Trace();
            Trace bf3 = new Trace();
            List<List<Long>> without =
                    loads(RunMode.checkWeak(flat, Profile.SEED, seed), CycleCosts.DEFAULT, 0, MIB);
            List<List<Long>> with =
                    loads(RunMode.checkWeak(bf3, Profile.SEED, seed), CycleCosts.BF3, 0, MIB);
            assertThat(bf3.lines).hasSizeGreaterThan(LINES).isEqualTo(flat.lines);
            assertThat(without.getFirst()).containsOnly(11L);
            assertThat(with).isNotEqualTo(without);
        }
    }

    @Test
    @Requirement("DPA-INT-13a")
    void chanceFollowsFromTheSeed() {
        List<List<Long>> first = loads(RunMode.weak(Profile.SEED, 3), CycleCosts.BF3, 0, MIB);
        assertThat(loads(RunMode.weak(Profile.SEED, 3), CycleCosts.BF3, 0, MIB)).isEqualTo(first);
        assertThat(loads(RunMode.weak(Profile.SEED, 4), CycleCosts.BF3, 0, MIB))
                .isNotEqualTo(first);
    }

    @Test
    void fastKnowsNoFirstLoads() {
        assertThat(loads(RunMode.fast(), CycleCosts.BF3, 0, MIB))
                .isEqualTo(loads(RunMode.fast(), CycleCosts.DEFAULT, 0, MIB));
    }

    @Test
    @Requirement("DPA-INT-4")
    void costsOfReceivedLinesCanBeChosen() {
        ReceivedCosts received = new ReceivedCosts(MIB, List.of(new Place(1, 4, 6)), 20);
        CycleCosts costs = new CycleCosts(2, 300, 200, 50, Optional.of(received));
        RunMode mode = RunMode.weak(Profile.SEED, 1);
        assertThat(loads(mode, costs, 0, MIB).getFirst()).containsOnly(5L, 6L, 7L);
        List<List<Long>> uncached = loads(mode, costs, 0, MIB + 1);
        assertThat(uncached.getFirst()).containsOnly(21L);
        assertThat(uncached.getLast()).containsOnly(3L);
        assertThat(received.draw(MIB + 1, new SplittableRandom(1))).isEqualTo(20);
    }

    @Test
    void refusesCostsThatAreNone() {
        List<Place> places = List.of(new Place(1, 0, 0));
        assertThatThrownBy(() -> new CycleCosts(1, 2, -3, 4, Optional.empty()))
                .hasMessage("An access costs 0 cycles or more, not 1, 2, -3 and 4");
        assertThatThrownBy(() -> new Place(0, 1, 2)).hasMessageContaining("not a weight of 0");
        assertThatThrownBy(() -> new Place(1, 2, 1)).hasMessageContaining("2 to 1 cycles");
        assertThatThrownBy(() -> new Place(1, -1, 1)).hasMessageContaining("-1 to 1 cycles");
        assertThatThrownBy(() -> new ReceivedCosts(1, List.of(), 1))
                .hasMessageContaining("1 bytes, 0 places and 1 cycles");
        assertThatThrownBy(() -> new ReceivedCosts(-1, places, 1)).hasMessageContaining("-1 bytes");
        assertThatThrownBy(() -> new ReceivedCosts(1, places, -1))
                .hasMessageContaining("-1 cycles");
    }
}
