package dev.outboard.ccip.checker;

import dev.outboard.ccip.wire.Rx;

/// Counts the beats of one Tx channel under almost-full (CCI-P manual 1.3.6). Those count that the
/// AFU drove after an edge at which it could sample almost-full as 1.
final class AlmostFull {
    private boolean isFull;
    private int beats;

    /// A valid beat was driven.
    ///
    /// @return whether it is one too many
    boolean isOverrun() {
        return isFull && ++beats > Rx.BEATS_AFTER_ALMOST_FULL;
    }

    /// What the AFU could know when it drove this cycle.
    boolean isFull() {
        return isFull;
    }

    /// The AFU samples almost-full at this edge.
    void sample(boolean almostFull) {
        isFull = almostFull;
        if (!almostFull) {
            beats = 0;
        }
    }
}
