package dev.outboard.fabric.roce.rc;

/// When a requester stops waiting for an answer. Two clocks run while packets are outstanding: the
/// transport timeout of the queue pair, which costs a retry (roce.md 3.8), and an earlier probe,
/// which costs nothing and finds lost last packets within a few round trips (roce.md 3.8, tail
/// loss).
final class RetransmitTimer {
    /// No deadline.
    static final long NONE = Long.MAX_VALUE;

    /// Below this a descheduled peer is more likely than a loss.
    private static final long MIN_PROBE_NANOS = 1_000_000;

    private static final long MAX_PROBE_NANOS = 200_000_000;
    private static final int PROBE_ROUND_TRIPS = 4;

    private final long timeoutNanos;
    private long startedNanos = NONE;
    private long probeNanos = NONE;
    private int probes;
    private long smoothedRoundTripNanos;

    RetransmitTimer(long timeoutNanos) {
        this.timeoutNanos = timeoutNanos;
    }

    boolean isRunning() {
        return startedNanos != NONE;
    }

    /// Starts both clocks: something was sent, or an answer brought progress.
    void start(long now) {
        startedNanos = now;
        probes = 0;
        probeNanos = now + probeInterval();
    }

    void stop() {
        startedNanos = NONE;
        probeNanos = NONE;
    }

    long deadlineNanos() {
        return Math.min(
                probeNanos, isRunning() && timeoutNanos > 0 ? startedNanos + timeoutNanos : NONE);
    }

    boolean isTimedOut(long now) {
        return isRunning() && timeoutNanos > 0 && now - startedNanos >= timeoutNanos;
    }

    boolean isProbeDue(long now) {
        return probeNanos != NONE && now >= probeNanos;
    }

    /// A probe goes out now; the next one follows after twice the time.
    void probed(long now) {
        probes++;
        probeNanos = now + probeInterval();
    }

    /// How many probes went out since the last progress.
    int probes() {
        return probes;
    }

    void measured(long roundTripNanos) {
        smoothedRoundTripNanos =
                smoothedRoundTripNanos == 0
                        ? roundTripNanos
                        : smoothedRoundTripNanos + (roundTripNanos - smoothedRoundTripNanos) / 8;
    }

    private long probeInterval() {
        long first = Math.max(MIN_PROBE_NANOS, PROBE_ROUND_TRIPS * smoothedRoundTripNanos);
        return Math.min(MAX_PROBE_NANOS, first << Math.min(probes, 8));
    }
}
