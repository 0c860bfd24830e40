package dev.outboard.dpa.doca.dev;

/// What the handle of an array of buffers points to: words of DPA memory, which the host fills.
public final class ArrayDescriptor {
    /// The address of the first element, for windows and queue entries.
    public static final int ADDRESS = 0;

    /// The key of the memory.
    public static final int KEY = 8;

    /// How long each element is.
    public static final int ELEMENT_BYTES = 16;

    /// How many elements there are; none once the array has stopped.
    public static final int COUNT = 24;

    /// Whether the memory begins at a line: 1 or 0.
    public static final int ALIGNED = 32;

    /// Whether it is memory of a peer: 1 or 0.
    public static final int REMOTE = 40;

    /// The handle of the context of which it is.
    public static final int FUNCTION = 48;

    /// How long it is.
    public static final int BYTES = 56;

    private ArrayDescriptor() {}
}
