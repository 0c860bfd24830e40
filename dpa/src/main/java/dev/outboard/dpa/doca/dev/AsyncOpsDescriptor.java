package dev.outboard.dpa.doca.dev;

/// What the handle of a context of asynchronous operations points to: words of DPA memory, which
/// the host fills. The last one changes: it belongs to the thread that posts.
public final class AsyncOpsDescriptor {
    /// Where the blocks of the send queue are.
    public static final int RING = 0;

    /// The binary logarithm of their number.
    public static final int LOG_BLOCKS = 8;

    /// The number of the queue pair.
    public static final int QUEUE = 16;

    /// How many operations were posted.
    public static final int POSTED = 24;

    /// The handle of the context of which it is.
    public static final int FUNCTION = 32;

    /// How long it is.
    public static final int BYTES = 64;

    private AsyncOpsDescriptor() {}
}
