package dev.outboard.dpa.machine;

/// DPA-FEN-9: the aq and rl bits of an atomic: which other accesses of the thread to MEMORY it
/// orders.
public enum AtomicOrder {
    /// Neither bit.
    RELAXED,
    /// aq: later accesses come after it.
    ACQUIRE,
    /// rl: it comes after earlier accesses.
    RELEASE,
    /// aqrl: both.
    ACQUIRE_RELEASE;

    /// Whether the aq bit is set.
    public boolean acquires() {
        return this == ACQUIRE || this == ACQUIRE_RELEASE;
    }

    /// Whether the rl bit is set.
    public boolean releases() {
        return this == RELEASE || this == ACQUIRE_RELEASE;
    }
}
