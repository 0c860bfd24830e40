package dev.outboard.fabric.roce.nic;

/// Whether an acknowledgement of a queue pair is worth putting off until a request follows, and
/// since when one is put off. Learns from how that ends: no request followed in time, so the next
/// ones are not put off, twice as many each time in a row. An application that does something else
/// in between, such as computing its answer, is hindered less and less. For one thread at a time.
final class Patience {
    /// Who has not answered within this is not about to. On a busy machine a thread that is may
    /// have to wait for a processor.
    static final long LIMIT_NANOS = 500_000;

    private static final int MIN_REFUSALS = 1;
    private static final int MAX_REFUSALS = 1 << 12;
    private static final long NONE = Long.MIN_VALUE;

    private long startNanos = NONE;
    private int refusals;
    private int nextRefusals = MIN_REFUSALS;

    /// Whether to put an acknowledgement off from now on. If so, [#end] follows.
    boolean start(long nowNanos) {
        if (refusals > 0) {
            refusals--;
            return false;
        }
        startNanos = nowNanos;
        return true;
    }

    /// Whether one is put off.
    boolean isOn() {
        return startNanos != NONE;
    }

    /// When it is over at the latest; only if one is put off.
    long endNanos() {
        return startNanos + LIMIT_NANOS;
    }

    /// What was put off, if anything, leaves.
    ///
    /// @param isAnswered whether it leaves with a request
    void end(long nowNanos, boolean isAnswered) {
        if (!isOn()) {
            return;
        }
        if (!isAnswered && nowNanos >= endNanos()) {
            refusals = nextRefusals;
            nextRefusals = Math.min(MAX_REFUSALS, 2 * nextRefusals);
        } else {
            nextRefusals = MIN_REFUSALS;
        }
        startNanos = NONE;
    }
}
