package dev.outboard.naa.protocol;

import java.time.Duration;

/// A point in time at which something is due; off at first. The time is a parameter, as
/// [System#nanoTime] counts it.
///
/// NAA-POLL-7, NAA-TIME-3: a number and a monotonic clock; nothing outlives the call.
public final class Timer {
    private static final long NEVER = Long.MAX_VALUE;

    private boolean isSet;
    private long at;
    private Duration delay = Duration.ZERO;

    /// Sets it to `newDelay` from now; a delay of zero turns it off.
    public void set(long nowNanos, Duration newDelay) {
        delay = newDelay;
        isSet = !delay.isZero();
        at = nowNanos + delay.toNanos();
    }

    /// What it was last set to.
    Duration delay() {
        return delay;
    }

    /// Turns it off.
    void clear() {
        isSet = false;
    }

    public boolean isDue(long nowNanos) {
        return isSet && nowNanos - at >= 0;
    }

    /// The nanoseconds until it is due; huge if it is off.
    public long nanosLeft(long nowNanos) {
        return isSet ? at - nowNanos : NEVER;
    }
}
