package dev.outboard.fabric.roce.rc;

/// Slows a requester down when the network reports congestion, and lets it recover: the reaction
/// point of DCQCN (roce.md 6). Between notifications the rate first closes in on where it was, then
/// grows beyond. The constants are those of the specification.
///
/// The rate is kept by pacing: a packet may leave when the ones before it have had their time, give
/// or take a burst. Time is a parameter; nothing happens between calls.
final class ReactionPoint {
    /// No limit is needed above 100 Gb/s.
    static final double LINE_BYTES_PER_SECOND = 12.5e9;

    static final double MIN_BYTES_PER_SECOND = 1e6;

    /// At most one cut in this time.
    static final long CUT_NANOS = 50_000;

    static final long CALM_NANOS = 55_000;
    static final double GAIN = 1.0 / 256;
    static final long INCREASE_NANOS = 1_500_000;
    static final long INCREASE_BYTES = 10_000_000;
    static final int FAST_ROUNDS = 5;

    /// 40 Mb/s and ten times that.
    static final double ADDITIVE_BYTES_PER_SECOND = 5e6;

    private static final double HYPER_BYTES_PER_SECOND = 50e6;

    /// So much may leave at once, because timers are not exact and calls are dear.
    private static final int BURST_BYTES = 16 * 1024;

    private static final double NANOS_PER_SECOND = 1e9;

    private boolean limiting;
    private double rate = LINE_BYTES_PER_SECOND;
    private double target = LINE_BYTES_PER_SECOND;
    private double alpha = 1;
    private long cutNanos;
    private long calmNanos;
    private long increasedNanos;
    private int timerRounds;
    private int byteRounds;
    private long bytesSinceRound;

    /// When the packets sent so far have had their time.
    private double busyUntilNanos;

    /// Whether packets have to wait for [#readyNanos] at all.
    boolean isLimiting() {
        return limiting;
    }

    double bytesPerSecond() {
        return rate;
    }

    /// A congestion notification packet arrived.
    ///
    /// ROCE-CC-1: a notification of congestion lowers the rate.
    ///
    /// @param presentBytesPerSecond what is sent at present, without a limit; 0 if not known
    void notified(long now, double presentBytesPerSecond) {
        advance(now);
        if (!limiting) {
            start(now, presentBytesPerSecond);
        } else if (now - cutNanos < CUT_NANOS) {
            return;
        }
        target = rate;
        rate = Math.max(MIN_BYTES_PER_SECOND, rate * (1 - alpha / 2));
        alpha = (1 - GAIN) * alpha + GAIN;
        cutNanos = now;
        calmNanos = now;
        increasedNanos = now;
        timerRounds = 0;
        byteRounds = 0;
        bytesSinceRound = 0;
    }

    /// When the next packet may leave if `bytes` leave before it; at `now` at the earliest.
    long readyNanos(int bytes, long now) {
        advance(now);
        double credit = (BURST_BYTES - bytes) * NANOS_PER_SECOND / rate;
        return Math.max(now, (long) (busyUntilNanos - credit));
    }

    /// A packet left.
    void sent(int bytes, long now) {
        busyUntilNanos = Math.max(busyUntilNanos, (double) now) + bytes * NANOS_PER_SECOND / rate;
        bytesSinceRound += bytes;
        if (bytesSinceRound >= INCREASE_BYTES) {
            bytesSinceRound -= INCREASE_BYTES;
            byteRounds++;
            increase();
        }
    }

    private void start(long now, double presentBytesPerSecond) {
        limiting = true;
        alpha = 1;
        busyUntilNanos = now;
        rate =
                presentBytesPerSecond == 0
                        ? LINE_BYTES_PER_SECOND
                        : Math.min(LINE_BYTES_PER_SECOND, presentBytesPerSecond);
    }

    /// Makes up for the timers that would have run since the last call.
    private void advance(long now) {
        while (limiting && now - increasedNanos >= INCREASE_NANOS) {
            increasedNanos += INCREASE_NANOS;
            timerRounds++;
            increase();
        }
        long periods = (now - calmNanos) / CALM_NANOS;
        if (periods > 0) {
            alpha *= Math.pow(1 - GAIN, (double) periods);
            calmNanos += periods * CALM_NANOS;
        }
    }

    private void increase() {
        if (Math.min(timerRounds, byteRounds) > FAST_ROUNDS) {
            target += HYPER_BYTES_PER_SECOND;
        } else if (Math.max(timerRounds, byteRounds) > FAST_ROUNDS) {
            target += ADDITIVE_BYTES_PER_SECOND;
        }
        rate = (target + rate) / 2;
        limiting = rate < LINE_BYTES_PER_SECOND;
    }
}
