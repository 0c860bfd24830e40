package dev.outboard.fabric.roce.nic;

/// Puts something off for the few microseconds in which more of the kind usually follows, and
/// learns from how that ends: nothing followed in time, so the next ones are not put off, twice as
/// many each time in a row. A thread that does something else in between, such as waiting for
/// another device, is hindered less and less. For one thread at a time.
final class Deferral {
    /// Whoever does nothing within this after a completion is not about to answer.
    private static final long LIMIT_NANOS = 20_000;

    /// A thread that takes what has come finds each of its queues empty before it does something
    /// about it: the one that brought the completion, and the one of its sends. Who looks more
    /// often waits.
    private static final int MAX_LOOKS = 2;

    private static final int MIN_REFUSALS = 16;
    private static final int MAX_REFUSALS = 1 << 12;
    private static final long NONE = Long.MIN_VALUE;

    private long startNanos = NONE;
    private int looks;
    private int refusals;
    private int nextRefusals = MIN_REFUSALS;

    /// Whether to put something off from now on. If so, [#end] follows.
    boolean start(long nowNanos) {
        if (refusals > 0) {
            refusals--;
            return false;
        }
        startNanos = nowNanos;
        looks = 0;
        return true;
    }

    /// Whether something is put off still, now that a thread looks for more completions.
    boolean outlastsLook(long nowNanos) {
        return startNanos != NONE && nowNanos - startNanos <= LIMIT_NANOS && ++looks <= MAX_LOOKS;
    }

    /// What was put off, if anything, is done with.
    void end(long nowNanos) {
        if (startNanos == NONE) {
            return;
        }
        if (nowNanos - startNanos > LIMIT_NANOS) {
            refusals = nextRefusals;
            nextRefusals = Math.min(MAX_REFUSALS, 2 * nextRefusals);
        } else {
            nextRefusals = MIN_REFUSALS;
        }
        startNanos = NONE;
    }
}
