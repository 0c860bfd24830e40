package dev.outboard.naa.protocol;

import java.time.Duration;

/// Finds out whether a peer from which nothing is to come, because it calls nothing, computes or
/// waits for a result, is still there: now and then a WRITE of no bytes, which its NIC must
/// acknowledge (`docs/decisions/0008`). The time is a parameter, as [System#nanoTime] counts it.
final class PeerProbe {
    private final Duration interval;
    private final Duration limit;
    private final Timer next = new Timer();
    private final Timer deadline = new Timer();
    private boolean pending;
    private boolean toSend;

    /// @param interval between two probes; zero for none
    /// @param limit how long one may stay unanswered; zero for as long as the transport tries
    PeerProbe(Duration interval, Duration limit) {
        this.interval = interval;
        this.limit = limit;
    }

    /// Nothing is sent to the peer from now on, and it need not send anything.
    void waiting(long nowNanos) {
        next.set(nowNanos, interval);
    }

    /// What is sent to the peer tells whether it is there; a probe that is on its way is still
    /// awaited.
    void pause() {
        next.clear();
    }

    /// Nobody can take an acknowledgement for now: a probe that is on its way has its whole time
    /// again.
    void excuse(long nowNanos) {
        next.set(nowNanos, interval);
        if (pending) {
            deadline.set(nowNanos, limit);
        }
    }

    /// The connection is over.
    void stop() {
        next.clear();
        deadline.clear();
    }

    /// The probe was acknowledged.
    void answered() {
        pending = false;
        deadline.clear();
    }

    /// Whether the probe has not been acknowledged in time; true once.
    boolean isUnanswered(long nowNanos) {
        boolean due = deadline.isDue(nowNanos);
        if (due) {
            deadline.clear();
        }
        return due;
    }

    /// Whether it is time for another probe, which [#takeToSend] then hands out.
    boolean begins(long nowNanos) {
        if (!next.isDue(nowNanos)) {
            return false;
        }
        next.set(nowNanos, interval);
        return begin(nowNanos);
    }

    /// Has [#takeToSend] hand a probe out, unless one is on its way.
    ///
    /// @return whether it does
    boolean begin(long nowNanos) {
        if (pending) {
            return false;
        }
        pending = true;
        toSend = true;
        deadline.set(nowNanos, limit);
        return true;
    }

    /// Whether one has yet to be acknowledged.
    boolean isPending() {
        return pending;
    }

    /// Whether there is a probe to send; true once.
    boolean takeToSend() {
        boolean now = toSend;
        toSend = false;
        return now;
    }

    /// The nanoseconds until there is something to do.
    long nanosLeft(long nowNanos) {
        return Math.min(next.nanosLeft(nowNanos), deadline.nanosLeft(nowNanos));
    }
}
