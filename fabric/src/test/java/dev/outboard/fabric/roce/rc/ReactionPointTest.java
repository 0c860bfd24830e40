package dev.outboard.fabric.roce.rc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.outboard.testkit.Requirement;
import org.junit.jupiter.api.Test;

/// DCQCN's sender (roce.md 6).
class ReactionPointTest {
    private static final int PACKET_BYTES = 4096;
    private static final double GIGABYTE = 1e9;
    private static final long INCREASE_NANOS = 1_500_000;
    private static final int INCREASE_BYTES = 10_000_000;
    private static final long CALM_NANOS = 55_000;

    private long now = 1_000_000_000;

    @Test
    void limitsNothingBeforeANotification() {
        assertThat(new ReactionPoint().isLimiting()).isFalse();
    }

    @Test
    @Requirement("ROCE-CC-1")
    void theFirstNotificationHalvesThePresentRate() {
        var point = new ReactionPoint();

        point.notified(now, GIGABYTE);

        assertThat(point.isLimiting()).isTrue();
        assertThat(point.bytesPerSecond()).isEqualTo(GIGABYTE / 2);
    }

    @Test
    @Requirement("ROCE-CC-1")
    void cutsOnceInFiftyMicroseconds() {
        var point = new ReactionPoint();
        point.notified(now, GIGABYTE);
        double once = point.bytesPerSecond();

        point.notified(now + ReactionPoint.CUT_NANOS - 1, GIGABYTE);
        assertThat(point.bytesPerSecond()).isEqualTo(once);
        point.notified(now + ReactionPoint.CUT_NANOS, GIGABYTE);
        assertThat(point.bytesPerSecond()).isCloseTo(once / 2, within(once / 100));
    }

    @Test
    @Requirement("ROCE-CC-1")
    void packetsLeaveAtTheRate() {
        var point = new ReactionPoint();
        point.notified(now, GIGABYTE);
        long start = now;
        long bytes = 0;
        while (now - start < 1_000_000) {
            now = point.readyNanos(0, now);
            point.sent(PACKET_BYTES, now);
            bytes += PACKET_BYTES;
        }

        assertThat(bytes * 1e9 / (now - start)).isCloseTo(GIGABYTE / 2, within(GIGABYTE / 40));
    }

    @Test
    void recoversFastThenSlowlyThenIsFree() {
        var point = new ReactionPoint();
        point.notified(now, GIGABYTE);

        now += 7_600_000;
        point.readyNanos(0, now);
        assertThat(point.bytesPerSecond()).isBetween(0.97 * GIGABYTE, GIGABYTE);
        now += 100_000_000;
        point.readyNanos(0, now);
        assertThat(point.bytesPerSecond()).isBetween(1.2 * GIGABYTE, 1.4 * GIGABYTE);
        now += 10_000_000_000L;
        point.readyNanos(0, now);
        assertThat(point.isLimiting()).isFalse();
    }

    @Test
    void aNotificationAfterItWasFreeLimitsAgain() {
        var point = new ReactionPoint();
        point.notified(now, GIGABYTE);

        point.notified(now + 100_000_000_000L, GIGABYTE);

        assertThat(point.isLimiting()).isTrue();
        assertThat(point.bytesPerSecond()).isEqualTo(GIGABYTE / 2);
    }

    @Test
    void recoversWithEveryPeriodOfTime() {
        var point = new ReactionPoint();
        point.notified(now, GIGABYTE);

        point.readyNanos(0, now + INCREASE_NANOS - 1);
        assertThat(point.bytesPerSecond()).isEqualTo(GIGABYTE / 2);
        point.readyNanos(0, now + INCREASE_NANOS);
        assertThat(point.bytesPerSecond()).isEqualTo(GIGABYTE * 3 / 4);
    }

    @Test
    void recoversWithEveryTenMegabytes() {
        var point = new ReactionPoint();
        point.notified(now, GIGABYTE);

        point.sent(INCREASE_BYTES - 1, now);
        assertThat(point.bytesPerSecond()).isEqualTo(GIGABYTE / 2);
        point.sent(INCREASE_BYTES / 2 + 1, now);
        assertThat(point.bytesPerSecond()).isEqualTo(GIGABYTE * 3 / 4);
        point.sent(INCREASE_BYTES / 2 - 1, now);
        assertThat(point.bytesPerSecond()).isEqualTo(GIGABYTE * 3 / 4);
        point.sent(1, now);
        assertThat(point.bytesPerSecond()).isEqualTo(GIGABYTE * 7 / 8);
    }

    /// The rate goes half of the way to its target in each round, so a round shows the target.
    @Test
    void growsBeyondWhereItWasAfterFiveRoundsAndFasterWhenTimeAndBytesAgree() {
        var point = new ReactionPoint();
        point.notified(now, GIGABYTE);

        for (int round = 1; round <= 5; round++) {
            assertThat(targetAfterTime(point)).isCloseTo(GIGABYTE, within(1.0));
        }
        assertThat(targetAfterTime(point)).isCloseTo(GIGABYTE + 5e6, within(1.0));
        assertThat(targetAfterTime(point)).isCloseTo(GIGABYTE + 10e6, within(1.0));
        for (int round = 1; round <= 5; round++) {
            assertThat(targetAfterBytes(point))
                    .isCloseTo(GIGABYTE + 10e6 + round * 5e6, within(1.0));
        }
        assertThat(targetAfterBytes(point)).isCloseTo(GIGABYTE + 85e6, within(1.0));
        assertThat(targetAfterTime(point)).isCloseTo(GIGABYTE + 135e6, within(1.0));
    }

    private double targetAfterTime(ReactionPoint point) {
        double before = point.bytesPerSecond();
        now += INCREASE_NANOS;
        point.readyNanos(0, now);
        return 2 * point.bytesPerSecond() - before;
    }

    private double targetAfterBytes(ReactionPoint point) {
        double before = point.bytesPerSecond();
        point.sent(INCREASE_BYTES, now);
        return 2 * point.bytesPerSecond() - before;
    }

    /// By 1/256 of what is missing, either way.
    @Test
    void cutsCloseInOnAHalfWithNotificationsAndOnNothingWithTime() {
        var point = new ReactionPoint();
        point.notified(now, GIGABYTE);
        int periods = 100;
        now += periods * CALM_NANOS;
        point.readyNanos(0, now);
        point.readyNanos(0, now);
        double alpha = Math.pow(255 / 256.0, periods);

        for (int i = 0; i < 3; i++) {
            double before = point.bytesPerSecond();
            point.notified(now, GIGABYTE);
            assertThat(point.bytesPerSecond()).isCloseTo(before * (1 - alpha / 2), within(1.0));
            alpha += (1 - alpha) / 256;
            now += ReactionPoint.CUT_NANOS;
        }
    }

    @Test
    void sixteenKibibytesMayLeaveAtOnce() {
        var point = new ReactionPoint();
        point.notified(now, GIGABYTE);

        assertThat(point.readyNanos(16 * 1024, now)).isEqualTo(now);
        point.sent(16 * 1024, now);
        assertThat(point.readyNanos(0, now)).isEqualTo(now);
        assertThat(point.readyNanos(1_000, now)).isEqualTo(now + 2_000);
    }

    @Test
    void neverStopsAltogether() {
        var point = new ReactionPoint();
        for (int i = 0; i < 1_000; i++) {
            point.notified(now, GIGABYTE);
            now += ReactionPoint.CUT_NANOS;
        }

        assertThat(point.bytesPerSecond())
                .isGreaterThanOrEqualTo(ReactionPoint.MIN_BYTES_PER_SECOND);
        assertThat(point.readyNanos(0, now)).isLessThan(now + 100_000_000);
    }

    /// A single mark in a calm network takes little: alpha decays with time.
    @Test
    void aMarkAfterALongCalmCutsLittle() {
        var point = new ReactionPoint();
        point.notified(now, GIGABYTE);
        now += 50_000_000;
        point.readyNanos(0, now);
        double before = point.bytesPerSecond();

        point.notified(now, GIGABYTE);

        assertThat(point.bytesPerSecond()).isBetween(0.95 * before, before);
    }
}
