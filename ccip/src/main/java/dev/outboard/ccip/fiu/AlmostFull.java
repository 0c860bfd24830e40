package dev.outboard.ccip.fiu;

import dev.outboard.ccip.wire.Rx;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/// One almost-full wire, and what may still come while it is 1 (CCI-P manual 1.3.6).
final class AlmostFull {
    /// How long the wire stays as chance has set it, at most: from one cycle up, and as often some
    /// as many.
    private static final int HIGH_BITS = 8;

    private static final int LOW_BITS = 11;
    private static final int LEAST_LOW_BITS = 4;
    private static final int MOST_LOW = 1 << LOW_BITS;

    private final int threshold;
    private @Nullable LongPredicate forced;

    /// What the AFU could see at the edge before this one.
    private boolean seen;

    /// What it can see at this one.
    private boolean driven;

    private int beats;

    /// In ADVERSARIAL mode the wire also rises by chance, as on a link that others share.
    private final @Nullable Chance chance;

    private boolean raised;
    private int sameLeft;

    /// @param threshold how many beats may wait before the wire is raised
    /// @param chance by which it is also raised for a while, or null if it is not
    AlmostFull(int threshold, @Nullable Chance chance) {
        this.threshold = threshold;
        this.chance = chance;
        sameLeft = chance == null ? 0 : chance.below(MOST_LOW);
    }

    /// Raises the wire in these cycles, whatever waits.
    ///
    /// CCIP-FLW-12: a run raises the wire in the cycles that it names.
    void force(LongPredicate cycles) {
        forced = cycles;
    }

    /// A new edge.
    ///
    /// CCIP-FLW-4, CCIP-FLW-6, CCIP-FLW-13: eight beats more find room, then none does.
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
        if (chance != null) {
            changeByChance(chance);
        }
        driven = held || raised || waiting >= threshold || (forced != null && forced.test(cycle));
        return driven;
    }

    /// CCIP-FLW-11: pulses of a cycle and long stretches, of each wire by itself.
    private void changeByChance(Chance chance) {
        if (--sameLeft >= 0) {
            return;
        }
        raised = !raised;
        int bits =
                raised
                        ? chance.below(HIGH_BITS + 1)
                        : LEAST_LOW_BITS + chance.below(LOW_BITS - LEAST_LOW_BITS + 1);
        sameLeft = chance.below(1 << bits);
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
