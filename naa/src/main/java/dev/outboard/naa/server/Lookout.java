package dev.outboard.naa.server;

import dev.outboard.naa.link.Link;

/// When a [ServingLoop] looks after all of its clients next: when the first of them has something
/// due, after a slice of time at the latest, and not so soon that looking takes more than a small
/// part of a processor. Of ten thousand clients two thousand have something due each second.
final class Lookout {
    /// Between two looks passes so many times what the first took, or a whole slice.
    private static final int REST = 100;

    private long nextNanos;
    private long earliestNanos;

    /// The first look is due at once.
    Lookout(long nowNanos) {
        nextNanos = nowNanos;
        earliestNanos = nowNanos;
    }

    /// The nanoseconds until the next look; 0 or less when it is due.
    long nanosLeft(long nowNanos) {
        return nextNanos - nowNanos;
    }

    /// A client has something due in `nanos`.
    void due(long nowNanos, long nanos) {
        long at = nowNanos + Math.min(Link.SLICE_NANOS, nanos);
        if (at - nextNanos < 0) {
            nextNanos = earliestNanos - at > 0 ? earliestNanos : at;
        }
    }

    /// A look is over; the first client has something due in `nanos`.
    void looked(long startNanos, long endNanos, long nanos) {
        earliestNanos = endNanos + Math.min(Link.SLICE_NANOS, REST * (endNanos - startNanos));
        nextNanos = endNanos + Link.SLICE_NANOS;
        due(endNanos, nanos);
    }
}
