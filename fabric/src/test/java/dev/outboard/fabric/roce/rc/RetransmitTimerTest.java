package dev.outboard.fabric.roce.rc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RetransmitTimerTest {
    private static final long MICROSECOND = 1_000;
    private static final long MILLISECOND = 1_000_000;
    private static final long SECOND = 1_000_000_000;

    private final RetransmitTimer timer = new RetransmitTimer(0);
    private long now = 5 * SECOND;
    private long packet;

    @Test
    void probesAfterAMillisecondWhileNoRoundTripIsKnown() {
        timer.start(now);

        assertThat(timer.deadlineNanos()).isEqualTo(now + MILLISECOND);
        assertThat(timer.isProbeDue(now + MILLISECOND - 1)).isFalse();
        assertThat(timer.isProbeDue(now + MILLISECOND)).isTrue();
    }

    /// The mean is the round trip, the deviation half of it.
    @Test
    void theFirstRoundTripCountsAsInRfc6298() {
        answerAfter(MILLISECOND);

        assertThat(timer.smoothedNanos()).isEqualTo(MILLISECOND);
        assertThat(probeWait()).isEqualTo(2 * MILLISECOND + 4 * MILLISECOND / 2);
    }

    /// An eighth of the difference moves the mean, a quarter the deviation.
    @ParameterizedTest
    @CsvSource({"1800, 1100, 575", "200, 900, 575", "1000, 1000, 375"})
    void laterRoundTripsCountAsInRfc6298(long second, long mean, long deviation) {
        answerAfter(MILLISECOND);
        answerAfter(second * MICROSECOND);

        assertThat(timer.smoothedNanos()).isEqualTo(mean * MICROSECOND);
        assertThat(probeWait()).isEqualTo((2 * mean + 4 * deviation) * MICROSECOND);
    }

    @Test
    void aPeerThatAnswersAtOnceGetsTimeToRest() {
        answerAfter(10 * MICROSECOND);

        assertThat(probeWait()).isEqualTo(200 * MICROSECOND);
    }

    @Test
    void eachProbeDoublesTheWaitUpToAFifthOfASecond() {
        timer.start(now);
        for (long wait = 2; wait < 200; wait *= 2) {
            timer.probed(now);
            assertThat(timer.deadlineNanos()).isEqualTo(now + wait * MILLISECOND);
        }
        for (int i = 0; i < 100; i++) {
            timer.probed(now);
            assertThat(timer.deadlineNanos()).isEqualTo(now + 200 * MILLISECOND);
        }
        assertThat(timer.probes()).isEqualTo(107);

        assertThat(probeWait()).as("after progress").isEqualTo(MILLISECOND);
        assertThat(timer.probes()).isZero();
    }

    @Test
    void nothingIsDueOnceItStopped() {
        timer.timeout(MILLISECOND);
        timer.start(now);

        timer.stop();

        assertThat(timer.deadlineNanos()).isEqualTo(RetransmitTimer.NONE);
        assertThat(timer.isProbeDue(now + SECOND)).isFalse();
        assertThat(timer.isTimedOut(now + SECOND)).isFalse();
    }

    @Test
    void measuresOneRoundTripAtATime() {
        timer.measure(5, now);
        timer.measure(6, now + 100);

        timer.answeredBefore(5, now + 200);
        assertThat(timer.smoothedNanos()).as("5 is not answered").isZero();
        timer.answeredBefore(7, now + 300);
        timer.answeredBefore(8, now + 900);

        assertThat(timer.smoothedNanos()).isEqualTo(300);
    }

    @Test
    void aRepeatedPacketMeasuresNothing() {
        timer.measure(5, now);
        timer.abandonMeasurement();

        timer.answeredBefore(6, now + 100);

        assertThat(timer.smoothedNanos()).isZero();
    }

    @Test
    void theShortestRoundTripIsForgottenAfterTenSeconds() {
        answerAfter(100);
        long since = now;
        answerAfter(300);
        assertThat(timer.shortestNanos()).isEqualTo(100);
        now = since + 10 * SECOND - 301;
        answerAfter(300);
        assertThat(timer.shortestNanos()).isEqualTo(100);

        now = since + 10 * SECOND - 300;
        answerAfter(300);
        assertThat(timer.shortestNanos()).isEqualTo(300);
        answerAfter(200);
        assertThat(timer.shortestNanos()).isEqualTo(200);
    }

    @Test
    void theShortestRoundTripIsAsYoungAsTheLastOneThatShort() {
        answerAfter(100);
        now += 9 * SECOND;
        answerAfter(100);
        now += 9 * SECOND;
        answerAfter(300);

        assertThat(timer.shortestNanos()).isEqualTo(100);
    }

    @Test
    void packetsQueueWhenTheMeanIsTwiceTheShortestRoundTrip() {
        answerAfter(1_000);
        answerAfter(9_000);
        assertThat(timer.smoothedNanos()).isEqualTo(2_000);
        assertThat(timer.isQueueing()).isFalse();

        answerAfter(2_008);

        assertThat(timer.isQueueing()).isTrue();
    }

    private void answerAfter(long roundTripNanos) {
        timer.measure(packet, now);
        now += roundTripNanos;
        timer.answeredBefore(++packet, now);
    }

    private long probeWait() {
        timer.start(now);
        return timer.deadlineNanos() - now;
    }
}
