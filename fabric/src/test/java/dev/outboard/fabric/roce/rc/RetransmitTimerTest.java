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

    @Test
    void eachRoundTripTakesAQuarterOfThePatienceThatFollowsAHandshake() {
        timer.handshakeTook(20 * MICROSECOND);
        assertThat(probeWait()).isEqualTo(250 * MILLISECOND);

        answerAfter(10 * MICROSECOND);
        assertThat(probeWait()).isEqualTo(250 * MILLISECOND * 3 / 4);
        for (int i = 0; i < 30; i++) {
            answerAfter(10 * MICROSECOND);
        }
        assertThat(probeWait()).isEqualTo(200 * MICROSECOND);
    }

    @Test
    void aSlowHandshakeMakesItMorePatient() {
        timer.handshakeTook(200 * MILLISECOND);
        assertThat(probeWait()).isEqualTo(800 * MILLISECOND);
        timer.handshakeTook(3600 * SECOND);
        assertThat(probeWait()).as("a limit").isEqualTo(SECOND);
    }

    /// The mean is the round trip, the deviation half of it.
    @Test
    void theFirstRoundTripCountsAsInRfc6298() {
        answerAfter(100 * MILLISECOND);

        assertThat(timer.smoothedNanos()).isEqualTo(100 * MILLISECOND);
        assertThat(probeWait()).isEqualTo((2 * 100 + 4 * 50) * MILLISECOND);
    }

    /// An eighth of the difference moves the mean, a quarter the deviation.
    @ParameterizedTest
    @CsvSource({"180, 110000, 57500", "20, 90000, 57500", "100, 100000, 37500"})
    void laterRoundTripsCountAsInRfc6298(long secondMillis, long mean, long deviation) {
        answerAfter(100 * MILLISECOND);
        answerAfter(secondMillis * MILLISECOND);

        assertThat(timer.smoothedNanos()).isEqualTo(mean * MICROSECOND);
        assertThat(probeWait()).isEqualTo((2 * mean + 4 * deviation) * MICROSECOND);
    }

    @Test
    void aPeerThatAnswersAtOnceGetsTimeToRest() {
        becomeImpatient();

        assertThat(probeWait()).isEqualTo(200 * MICROSECOND);
    }

    @Test
    void eachProbeDoublesTheWaitUpToASecond() {
        timer.handshakeTook(MILLISECOND);
        timer.start(now);
        timer.probed(now);
        assertThat(timer.deadlineNanos()).isEqualTo(now + 500 * MILLISECOND);
        for (int i = 0; i < 100; i++) {
            timer.probed(now);
            assertThat(timer.deadlineNanos()).isEqualTo(now + SECOND);
        }
        assertThat(timer.probes()).isEqualTo(101);
    }

    @Test
    void eachProbeDoublesAShortWaitTenTimesAtMost() {
        becomeImpatient();
        timer.start(now);
        for (int i = 1; i < 20; i++) {
            timer.probed(now);
            assertThat(timer.deadlineNanos())
                    .isEqualTo(now + ((200 * MICROSECOND) << Math.min(i, 10)));
        }
    }

    /// RFC 6298, 5.5 to 5.7. Else a way that became longer would never be measured: every answer
    /// would come after a probe.
    @Test
    void theWaitStaysLongUntilARoundTripIsMeasured() {
        becomeImpatient();
        timer.measure(packet, now);
        timer.start(now);
        timer.probed(now);
        timer.abandonMeasurement(packet);

        timer.answeredBefore(++packet, now + MILLISECOND);
        assertThat(probeWait()).as("after progress").isEqualTo(400 * MICROSECOND);
        assertThat(timer.probes()).as("since progress").isZero();

        answerAfter(10 * MICROSECOND);
        assertThat(probeWait()).as("after a round trip").isEqualTo(200 * MICROSECOND);
    }

    @Test
    void aReportedGapShowsThatTheProbeWasNeeded() {
        becomeImpatient();
        timer.start(now);
        timer.probed(now);

        timer.gapReported();

        assertThat(probeWait()).isEqualTo(200 * MICROSECOND);
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
        timer.abandonMeasurement(6);
        timer.abandonMeasurement(5);

        timer.answeredBefore(6, now + 100);

        assertThat(timer.smoothedNanos()).isZero();
    }

    @Test
    void aPacketBeforeThoseThatAreRepeatedIsMeasured() {
        timer.measure(5, now);
        timer.abandonMeasurement(6);

        timer.answeredBefore(6, now + 100);

        assertThat(timer.smoothedNanos()).isEqualTo(100);
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

    private void becomeImpatient() {
        answerAfter(10 * MICROSECOND);
    }

    private long probeWait() {
        timer.start(now);
        return timer.deadlineNanos() - now;
    }
}
