package dev.outboard.ccip.host;

import dev.outboard.ccip.checker.Answers;
import dev.outboard.ccip.checker.Checker;
import dev.outboard.ccip.checker.Monitor;
import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.wire.C0Rx;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import java.util.List;
import java.util.function.Supplier;

/// Ends a run in which something is outstanding and nothing moves at the port any more
/// (`RUN_STALLED`). It belongs to a simulation.
final class Watchdog implements Monitor {
    static final long DEFAULT_LIMIT = 2_000_000;

    private final Checker checker;
    private final Supplier<List<String>> outstanding;
    private long limit = DEFAULT_LIMIT;
    private long lastActive;
    private long countFrom;
    private boolean stalled;

    /// @param outstanding what is waited for, one line each
    Watchdog(Checker checker, Supplier<List<String>> outstanding) {
        this.checker = checker;
        this.outstanding = outstanding;
    }

    void limit(long cycles) {
        limit = cycles;
    }

    /// Counts from this cycle on.
    void restart(long cycle) {
        countFrom = cycle;
        stalled = false;
    }

    /// Whether nothing has moved for too long; until something moves again.
    boolean isStalled() {
        return stalled;
    }

    /// The last cycle in which the port carried anything.
    long lastActive() {
        return lastActive;
    }

    @Override
    public void clock(long cycle, Tx tx, Rx rx, Answers answers) {
        if (isActive(tx, rx)) {
            lastActive = cycle;
            countFrom = cycle;
            stalled = false;
        } else if (!stalled && cycle - countFrom >= limit) {
            look(cycle);
        }
    }

    @Override
    public long nextCycle(long cycle) {
        return stalled ? Long.MAX_VALUE : Math.max(cycle + 1, countFrom + limit);
    }

    private static boolean isActive(Tx tx, Rx rx) {
        C0Rx c0 = rx.c0;
        return tx.c0.valid
                || tx.c1.valid
                || tx.c2.mmioRdValid
                || c0.rspValid
                || c0.mmioRdValid
                || c0.mmioWrValid
                || rx.c1.rspValid
                || rx.softReset;
    }

    private void look(long cycle) {
        List<String> waiting = outstanding.get();
        if (waiting.isEmpty()) {
            countFrom = cycle;
            return;
        }
        stalled = true;
        checker.report(
                Violation.RUN_STALLED,
                cycle,
                "nothing has moved since cycle "
                        + lastActive
                        + ", outstanding are: "
                        + String.join("; ", waiting));
    }
}
