package dev.outboard.ccip.fiu;

import dev.outboard.ccip.checker.Checker;
import dev.outboard.ccip.checker.Violation;
import java.util.Arrays;

/// The interrupts of an AFU as the processor sees them: per id whether somebody waits, and how
/// often it came since (CCI-P manual 1.3.3). Guarded by the lock of the simulation.
public final class Interrupts {
    /// An interrupt id is one of 0 to `IDS - 1`.
    public static final int IDS = 4;

    private final Checker checker;
    private final boolean[] unanswered = new boolean[IDS];
    private final boolean[] registered = new boolean[IDS];
    private final long[] pending = new long[IDS];
    private long spurious;

    /// Nobody waits for any id.
    public Interrupts(Checker checker) {
        this.checker = checker;
    }

    /// Somebody will wait for this id: from now on its interrupts are remembered.
    public void register(int id) {
        registered[id] = true;
    }

    /// Nobody waits for this id any more.
    public void unregister(int id) {
        registered[id] = false;
        pending[id] = 0;
    }

    /// Whether somebody waits for this id.
    public boolean isRegistered(int id) {
        return registered[id];
    }

    /// An interrupt reaches the processor.
    void arrive(long cycle, int id) {
        unanswered[id] = true;
        if (registered[id]) {
            pending[id]++;
        } else {
            spurious++;
            checker.report(
                    Violation.HOST_INTR_NO_WAITER, cycle, "interrupt " + id + " found no waiter");
        }
    }

    /// Whether an interrupt with this id has arrived of which the AFU is not told yet that it was
    /// issued. Another one may be lost (CCI-P manual 1.3.3).
    ///
    /// CCIP-INT-4: what comes meanwhile with the same id may be dropped.
    boolean isUnanswered(int id) {
        return unanswered[id];
    }

    /// The AFU is told that an interrupt was issued.
    ///
    /// CCIP-INT-5: the response says that the interrupt was issued.
    void answered(int id) {
        unanswered[id] = false;
    }

    /// A reset begins: nothing waits for a response.
    void reset() {
        Arrays.fill(unanswered, false);
    }

    /// Whether this id came since it was last taken.
    public boolean isPending(int id) {
        return pending[id] > 0;
    }

    /// How often this id came since it was last taken.
    public long take(int id) {
        long count = pending[id];
        pending[id] = 0;
        return count;
    }

    /// How many interrupts found no waiter.
    public long spurious() {
        return spurious;
    }
}
