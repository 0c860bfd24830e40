package dev.outboard.fabric.roce.rc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.outboard.testkit.Requirement;
import org.junit.jupiter.api.Test;

/// DCQCN's sender (roce.md 6).
class ReactionPointTest {
    private static final int PACKET_BYTES = 4096;
    private static final double GIGABYTE = 1e9;

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
