package dev.outboard.fabric.roce.rc;

/// When a requester stops waiting for an answer. Two clocks run while packets are outstanding: the
/// transport timeout of the queue pair, which costs a retry (roce.md 3.8), and an earlier probe,
/// which costs nothing and finds lost last packets within a few round trips (roce.md 3.8, tail
/// loss).
///
/// A probe that comes too early makes the answer ambiguous, so that no round trip can be measured.
/// Therefore, as in RFC 6298, the wait doubles with each probe and stays that long until a packet
/// that was sent once is answered: a way that is longer than it seemed is learned after a few
/// probes, not never.
final class RetransmitTimer {
    /// No deadline.
    static final long NONE = Long.MAX_VALUE;

    /// Until a round trip was measured, where no handshake said anything. On a longer way the first
    /// packet is repeated some times, and then no more.
    private static final long FIRST_PROBE_NANOS = 1_000_000;

    /// What it waits at least after a handshake, which often brings together processes that have
    /// just been started and take tens of milliseconds for what they do for the first time. Each
    /// round trip measured takes a quarter of this patience away, and thirty of them all.
    private static final long PATIENCE_NANOS = 250_000_000;

    private static final int PATIENCE_SHIFT = 2;

    /// The handshake takes a round trip and the time of the peer's application, like the first
    /// measurement of RFC 6298 with a deviation of half of it.
    private static final int PATIENCE_ROUND_TRIPS = 4;

    /// A probe too early is a packet too many; below this most would be, because the peer's thread
    /// rests now and then.
    private static final long MIN_PROBE_NANOS = 200_000;

    private static final long MAX_PROBE_NANOS = 1_000_000_000;
    private static final int MAX_BACK_OFF = 10;
    private static final int NOTHING = -1;
    private static final int PROBE_ROUND_TRIPS = 2;
    private static final int PROBE_DEVIATIONS = 4;
    private static final int QUEUEING_FACTOR = 2;

    /// The way may become longer.
    private static final long FORGET_NANOS = 10_000_000_000L;

    private long timeoutNanos;
    private long startedNanos = NONE;
    private long probeNanos = NONE;
    private int probes;

    /// Probes since a round trip was measured, or a gap was reported.
    private int backOff;

    private long patienceNanos;
    private long smoothedNanos;
    private long deviationNanos;
    private long shortestNanos;
    private long shortestSinceNanos = -FORGET_NANOS;

    /// The packet whose round trip is measured, and when it left.
    private long measuredPacket = NOTHING;

    private long measuredNanos;

    RetransmitTimer(long timeoutNanos) {
        this.timeoutNanos = timeoutNanos;
    }

    /// Changes the transport timeout; 0 for never.
    void timeout(long nanos) {
        timeoutNanos = nanos;
    }

    /// The handshake that made the connection took `nanos` for a round trip, applications included.
    void handshakeTook(long nanos) {
        long several = PATIENCE_ROUND_TRIPS * Math.min(nanos, MAX_PROBE_NANOS);
        patienceNanos = Math.max(PATIENCE_NANOS, several);
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
        backOff++;
        probeNanos = now + probeInterval();
    }

    /// How many probes went out since the last progress.
    int probes() {
        return probes;
    }

    /// Packet `packet`, which asks for an answer, leaves for the first time. One round trip at a
    /// time is measured.
    void measure(long packet, long now) {
        if (measuredPacket == NOTHING) {
            measuredPacket = packet;
            measuredNanos = now;
        }
    }

    /// All packets before `end` are answered.
    void answeredBefore(long end, long now) {
        if (measuredPacket != NOTHING && measuredPacket < end) {
            measuredPacket = NOTHING;
            measured(now - measuredNanos, now);
        }
    }

    /// Packets from `packet` on are repeated: nobody could tell what an answer to them is about.
    void abandonMeasurement(long packet) {
        if (measuredPacket >= packet) {
            measuredPacket = NOTHING;
        }
    }

    /// The peer misses a packet: no probe was too early, so the next need not wait longer.
    void gapReported() {
        backOff = 0;
    }

    /// Mean and deviation as in RFC 6298.
    private void measured(long roundTripNanos, long now) {
        backOff = 0;
        patienceNanos -= patienceNanos >> PATIENCE_SHIFT;
        if (roundTripNanos <= shortestNanos || now - shortestSinceNanos >= FORGET_NANOS) {
            shortestNanos = roundTripNanos;
            shortestSinceNanos = now;
        }
        if (smoothedNanos == 0) {
            smoothedNanos = roundTripNanos;
            deviationNanos = roundTripNanos / 2;
            return;
        }
        long error = roundTripNanos - smoothedNanos;
        smoothedNanos += error / 8;
        deviationNanos += (Math.abs(error) - deviationNanos) / 4;
    }

    /// The mean round trip, or 0 if none was measured.
    long smoothedNanos() {
        return smoothedNanos;
    }

    /// The shortest round trip of late; 0 if none was measured.
    long shortestNanos() {
        return shortestNanos;
    }

    /// Whether answers take much longer than they could: packets wait somewhere.
    boolean isQueueing() {
        return smoothedNanos > QUEUEING_FACTOR * shortestNanos;
    }

    private long probeInterval() {
        long estimate =
                smoothedNanos == 0
                        ? FIRST_PROBE_NANOS
                        : PROBE_ROUND_TRIPS * smoothedNanos + PROBE_DEVIATIONS * deviationNanos;
        long first = Math.max(MIN_PROBE_NANOS, Math.max(estimate, patienceNanos));
        return Math.min(MAX_PROBE_NANOS, first << Math.min(backOff, MAX_BACK_OFF));
    }
}
