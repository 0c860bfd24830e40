package dev.outboard.dpa.machine;

/// What a key lets a window do.
public enum Rights {
    /// Loads.
    READ,
    /// Stores.
    WRITE,
    /// Loads and stores.
    READ_WRITE;

    /// Whether loads are allowed.
    public boolean reads() {
        return this != WRITE;
    }

    /// Whether stores are allowed.
    public boolean writes() {
        return this != READ;
    }
}
