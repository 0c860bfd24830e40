package dev.outboard.ccip.platform;

/// What an AFU may do with a page of host memory.
public enum Access {
    /// Read it.
    READ_ONLY,
    /// Write it.
    WRITE_ONLY,
    /// Both.
    READ_WRITE;

    /// Whether the AFU may read.
    public boolean readable() {
        return this != WRITE_ONLY;
    }

    /// Whether the AFU may write.
    public boolean writable() {
        return this != READ_ONLY;
    }
}
