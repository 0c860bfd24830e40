package dev.outboard.fabric.roce.cm;

import java.util.Comparator;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// When something is due about which [Resolution].
final class ResolutionTimers {
    private final TreeSet<Resolution> timers =
            new TreeSet<>(
                    Comparator.<Resolution>comparingLong(r -> r.deadlineNanos)
                            .thenComparingInt(Resolution::requestId)
                            .thenComparing(Resolution::isActive)
                            .thenComparingLong(r -> r.remoteGid().high())
                            .thenComparingLong(r -> r.remoteGid().low())
                            .thenComparingLong(r -> r.transactionId));

    /// Starts the timer, which runs out at the resolution's limit if that is earlier.
    void start(Resolution resolution, long deadlineNanos) {
        cancel(resolution);
        resolution.deadlineNanos = Math.min(deadlineNanos, resolution.limitNanos);
        timers.add(resolution);
    }

    void cancel(Resolution resolution) {
        if (resolution.deadlineNanos != ConnectionTable.NEVER) {
            timers.remove(resolution);
            resolution.deadlineNanos = ConnectionTable.NEVER;
        }
    }

    /// When the next timer runs out, or [ConnectionTable#NEVER].
    long deadlineNanos() {
        return timers.isEmpty() ? ConnectionTable.NEVER : timers.first().deadlineNanos;
    }

    /// Takes a resolution whose timer has run out; null if there is none.
    @Nullable Resolution pollExpired(long nowNanos) {
        if (deadlineNanos() > nowNanos) {
            return null;
        }
        Resolution resolution = timers.first();
        cancel(resolution);
        return resolution;
    }
}
