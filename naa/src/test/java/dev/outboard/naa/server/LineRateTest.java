package dev.outboard.naa.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.naa.server.LineRate.Verdict;
import org.junit.jupiter.api.Test;

class LineRateTest {
    private static final long SECOND = 1_000_000_000;
    private static final Verdict PASSES = new Verdict(true, 0);
    private static final Verdict LEFT_OUT = new Verdict(false, 0);

    @Test
    void soManyPassInASecondAndTheNextSecondTellsHowManyDidNot() {
        LineRate rate = new LineRate(2);

        assertThat(rate.next(at(0))).isEqualTo(PASSES);
        assertThat(rate.next(at(1))).isEqualTo(PASSES);
        assertThat(rate.next(at(2))).isEqualTo(LEFT_OUT);
        assertThat(rate.next(at(SECOND - 1))).isEqualTo(LEFT_OUT);
        assertThat(rate.next(at(SECOND))).isEqualTo(new Verdict(true, 2));
        assertThat(rate.next(at(SECOND + 1))).isEqualTo(PASSES);
        assertThat(rate.next(at(SECOND + 2))).isEqualTo(LEFT_OUT);
        assertThat(rate.next(at(9 * SECOND))).isEqualTo(new Verdict(true, 1));
        assertThat(rate.next(at(20 * SECOND))).isEqualTo(PASSES);
    }

    /// Times begin anywhere, also where their sum with a second overflows.
    private static long at(long nanos) {
        return Long.MAX_VALUE - SECOND / 2 + nanos;
    }
}
