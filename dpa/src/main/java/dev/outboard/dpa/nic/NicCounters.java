package dev.outboard.dpa.nic;

import java.util.concurrent.atomic.AtomicLong;

/// What a NIC did not do, in numbers. Any thread may read them.
public final class NicCounters {
    final AtomicLong lostCompletions = new AtomicLong();
    final AtomicLong lostEvents = new AtomicLong();
    final AtomicLong foreignDoorbells = new AtomicLong();
    final AtomicLong staleDoorbells = new AtomicLong();

    NicCounters() {}

    /// Completions that were lost, since their queue had overrun.
    public long lostCompletions() {
        return lostCompletions.get();
    }

    /// Events that were lost, since their event queue had overrun.
    public long lostEvents() {
        return lostEvents.get();
    }

    /// DPA-FXO-7: doorbells that were dropped, since the NIC has no such queue for them.
    public long foreignDoorbells() {
        return foreignDoorbells.get();
    }

    /// Doorbells of send queues that told nothing new: another one came before them.
    public long staleDoorbells() {
        return staleDoorbells.get();
    }
}
