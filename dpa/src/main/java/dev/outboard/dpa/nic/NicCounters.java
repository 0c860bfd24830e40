package dev.outboard.dpa.nic;

/// What a NIC did not do, in numbers. Read it when the run is over.
public final class NicCounters {
    long lostCompletions;
    long foreignDoorbells;
    long staleDoorbells;

    NicCounters() {}

    /// Completions that were lost, since their queue had overrun.
    public long lostCompletions() {
        return lostCompletions;
    }

    /// DPA-FXO-7: doorbells that were dropped, since the NIC has no such queue for them.
    public long foreignDoorbells() {
        return foreignDoorbells;
    }

    /// Doorbells of send queues that told nothing new: another one came before them.
    public long staleDoorbells() {
        return staleDoorbells;
    }
}
