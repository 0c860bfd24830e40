package dev.outboard.examples.dpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

import dev.outboard.dpa.checker.Checker;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.machine.CycleCosts;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.examples.dpa.LoadTimes.Histogram;
import dev.outboard.examples.dpa.LoadTimes.Ring;
import dev.outboard.testkit.Requirement;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What the loop of the example measures is what has been published of a BlueField-3.
class LoadTimesTest {
    private static final int PACKETS = 3_000;

    private static Histogram measure(CycleCosts costs, Ring ring, long seed, int packets) {
        return LoadTimes.measure(LoadTimes.device(costs, seed), ring, packets);
    }

    private static void assertPercentiles(Histogram times, int p50, int p90) {
        assertThat(times.percentile(50)).as("p50").isCloseTo(p50, withPercentage(15));
        assertThat(times.percentile(90)).as("p90").isCloseTo(p90, withPercentage(15));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    @Requirement("DPA-INT-13a")
    void aRingOf1MibIsMostlyInTheCache(long seed) {
        Histogram times = measure(CycleCosts.BF3, Ring.DPA_1_MIB, seed, PACKETS);
        assertThat(times.total()).isEqualTo(PACKETS);
        assertPercentiles(times, 65, 130);
        Offset<Double> off = Offset.offset(0.04);
        assertThat((double) times.count(65, 66) / PACKETS).isCloseTo(2.0 / 3, off);
        assertThat((double) times.count(130, 131) / PACKETS).isCloseTo(1.0 / 4, off);
        assertThat((double) times.count(560, 901) / PACKETS).isCloseTo(1.0 / 12, off);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    @Requirement("DPA-INT-13b")
    void aRingOf8MibIsNot(long seed) {
        assertPercentiles(measure(CycleCosts.BF3, Ring.DPA_8_MIB, seed, 500), 720, 720);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    @Requirement("DPA-INT-13c")
    void packetsInTheArmsMemoryAreInBetween(long seed) {
        assertPercentiles(measure(CycleCosts.BF3, Ring.ARM_1_MIB, seed, 500), 400, 400);
    }

    @Test
    @Requirement("DPA-INT-4")
    void theSameSeedGivesTheSameFigures() {
        Histogram first = measure(CycleCosts.BF3, Ring.DPA_1_MIB, 4, 500);
        assertThat(measure(CycleCosts.BF3, Ring.DPA_1_MIB, 4, 500).counts())
                .isEqualTo(first.counts());
        assertThat(measure(CycleCosts.BF3, Ring.DPA_1_MIB, 5, 500).counts())
                .isNotEqualTo(first.counts());
    }

    @ParameterizedTest
    @EnumSource(names = {"DPA_1_MIB", "ARM_1_MIB"})
    void theLoopLacksNoFence(Ring ring) {
        Checker checker = new Checker(Profile.SEED, false);
        RunMode mode = RunMode.check(Observer.NONE, 1);
        DpaDevice device = DpaDevice.of(MachineOptions.DEFAULT, mode, () -> checker);
        assertThat(LoadTimes.measure(device, ring, 50).total()).isEqualTo(50);
        assertThat(checker.findings()).isEmpty();
    }

    @Test
    void withoutTheProfileAllRingsOfTheDpaAreAlike() {
        int memory = CycleCosts.DEFAULT.memory() + 1;
        for (Ring ring : new Ring[] {Ring.DPA_1_MIB, Ring.DPA_8_MIB}) {
            Histogram times = measure(CycleCosts.DEFAULT, ring, 1, 50);
            assertThat(times.count(memory, memory + 1)).as("%s", ring).isEqualTo(50);
        }
    }

    @Test
    void printsARowForEachRing() {
        StringWriter out = new StringWriter();
        LoadTimes.print(new PrintWriter(out), 1);
        assertThat(out.toString().lines())
                .hasSize(4)
                .anyMatch(line -> line.matches("1 MiB of the DPA +65 +130 +6\\d %.*"))
                .anyMatch(line -> line.matches("8 MiB of the DPA +720 +720 +0 % .* 100 %"))
                .anyMatch(line -> line.matches("1 MiB of the Arm +400 +400 +0 %.*"));
    }
}
