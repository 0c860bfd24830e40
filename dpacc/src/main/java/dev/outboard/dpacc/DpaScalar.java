package dev.outboard.dpacc;

/// DPA-JK-2: the types of a single value that can be passed to the device.
public enum DpaScalar {
    /// A `boolean`: 1 is true, 0 is false.
    BOOLEAN(1),
    /// A `byte`.
    BYTE(1),
    /// A `short`.
    SHORT(2),
    /// An `int`.
    INT(4),
    /// A `long`.
    LONG(8),
    /// A [DpaAddr].
    ADDRESS(8);

    private final int bytes;

    DpaScalar(int bytes) {
        this.bytes = bytes;
    }

    /// Its size, and what its offset is divisible by.
    public int bytes() {
        return bytes;
    }
}
