package dev.outboard.ccip.platform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClocksTest {
    private static final long MICROSECOND = 1_000_000_000;

    @Test
    @Requirement({"CCIP-CLK-1", "CCIP-CLK-2"})
    void dividedClocksRiseWithPClk() {
        List<Integer> divided = new ArrayList<>();
        Clocks clocks = new Clocks(400, 123.4, 1);
        for (long cycle = 0; cycle < 100; ) {
            int before = clocks.levels();
            clocks.advance();
            int changed = before ^ clocks.levels();
            if (clocks.rises(Clocks.P_CLK)) {
                assertThat(clocks.timeFemtoseconds()).isEqualTo(cycle * 2_500_000);
                assertThat(clocks.levels() & 7).isEqualTo(Clocks.dividedLevels(cycle));
                divided.add(clocks.levels() & (Clocks.P_CLK_DIV2 | Clocks.P_CLK_DIV4));
                cycle++;
            } else {
                assertThat(changed & (Clocks.P_CLK_DIV2 | Clocks.P_CLK_DIV4)).isZero();
            }
        }
        int div2 = Clocks.P_CLK_DIV2;
        int div4 = Clocks.P_CLK_DIV4;
        assertThat(divided.subList(0, 8))
                .containsExactly(div2 | div4, div4, div2, 0, div2 | div4, div4, div2, 0);
    }

    @Test
    @Requirement({"CCIP-CLK-3", "CCIP-CLK-5"})
    void theUserClockKeepsItsFrequencyAndItsHalfRisesWithIt() {
        int rises = 0;
        int halfRises = 0;
        Clocks clocks = new Clocks(200, 312.5, 7);
        while (clocks.timeFemtoseconds() < 100 * MICROSECOND) {
            int before = clocks.levels();
            clocks.advance();
            if (clocks.rises(Clocks.U_CLK)) {
                rises++;
            }
            if (clocks.rises(Clocks.U_CLK_DIV2)) {
                halfRises++;
            }
            if (((before ^ clocks.levels()) & Clocks.U_CLK_DIV2) != 0) {
                assertThat(clocks.rises(Clocks.U_CLK)).isTrue();
            }
        }
        assertThat(rises).isBetween(31_249, 31_251);
        assertThat(halfRises).isBetween(15_624, 15_626);
    }

    @Test
    @Requirement("CCIP-CLK-3")
    void phaseAndJitterOfTheUserClockFollowFromTheSeed() {
        assertThat(userRises(1)).isEqualTo(userRises(1)).isNotEqualTo(userRises(2));
        List<Long> rises = userRises(3);
        List<Long> periods = new ArrayList<>();
        for (int i = 1; i < rises.size(); i++) {
            periods.add(rises.get(i) - rises.get(i - 1));
        }
        assertThat(periods.stream().distinct().count()).isGreaterThan(10);
        assertThat(periods).allMatch(p -> p > 10_000_000 * 31 / 32 && p < 10_000_000 * 33 / 32);
        assertThat(List.of(1, 2, 3, 4, 5).stream().map(s -> userRises(s).getFirst()).distinct())
                .hasSize(5);
    }

    @Test
    @Requirement("CCIP-CLK-5")
    void theHalfOfTheUserClockMayBeSetOtherwise() {
        int rises = 0;
        boolean alone = false;
        Clocks clocks = new Clocks(200, 100, 77, 9);
        while (clocks.timeFemtoseconds() < 100 * MICROSECOND) {
            clocks.advance();
            if (clocks.rises(Clocks.U_CLK_DIV2)) {
                rises++;
                alone |= !clocks.rises(Clocks.U_CLK);
            }
        }
        assertThat(rises).isBetween(7_699, 7_701);
        assertThat(alone).isTrue();
    }

    @Test
    void refusesAFrequencyThatIsNone() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Clocks(200, 0, 1))
                .withMessage("uClk_usr at 0.0 MHz; valid are 0.001 to 10000");
        assertThatIllegalArgumentException().isThrownBy(() -> new Clocks(Double.NaN, 100, 1));
    }

    /// When a user clock of 100 MHz rises beside a pClk of 200 MHz.
    private static List<Long> userRises(long seed) {
        List<Long> rises = new ArrayList<>();
        Clocks clocks = new Clocks(200, 100, seed);
        while (rises.size() < 100) {
            clocks.advance();
            if (clocks.rises(Clocks.U_CLK)) {
                rises.add(clocks.timeFemtoseconds());
            }
        }
        return rises;
    }
}
