package dev.outboard.ccip.fiu;

import dev.outboard.ccip.wire.Rx;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/// One almost-full wire, and what may still come while it is 1 (CCI-P manual 1.3.6).
final class AlmostFull {
    private final int threshold;
    private @Nullable LongPredicate forced;

    /// What the AFU could see at the edge before this one.
    private boolean seen;

    /// What it can see at this one.
    private boolean driven;

    private int beats;

    /// @param threshold how many beats may wait before the wire is raised
    AlmostFull(int threshold) {
        this.threshold = threshold;
    }

    /// Raises the wire in these cycles, whatever waits.
    void force(LongPredicate cycles) {
        forced = cycles;
    }

    /// A new edge.
    ///
    /// @param valid whether it brings a beat
    /// @return whether that beat finds room: it is none or not beyond the eighth
    boolean accepts(boolean valid) {
        if (!seen) {
            beats = 0;
        } else if (valid) {
            beats++;
        }
        return beats <= Rx.BEATS_AFTER_ALMOST_FULL;
    }

    /// The wire after this edge.
    boolean drive(long cycle, int waiting, boolean held) {
        seen = driven;
        driven = held || waiting >= threshold || (forced != null && forced.test(cycle));
        return driven;
    }

    /// Whether the wire has been what it is for long enough that edges without a beat change
    /// nothing.
    boolean isSteady() {
        return forced == null && seen == driven;
    }

    void reset() {
        beats = 0;
        seen = false;
    }
}
