package dev.outboard.dpa.machine;

/// DPA-FEN-1: which operations a fence orders, before it or after it.
public enum Op {
    /// Loads.
    R,
    /// Stores.
    W,
    /// Loads and stores.
    RW;

    /// Whether loads are among them.
    public boolean reads() {
        return this != W;
    }

    /// Whether stores are among them.
    public boolean writes() {
        return this != R;
    }
}
