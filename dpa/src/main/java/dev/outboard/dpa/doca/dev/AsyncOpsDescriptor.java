package dev.outboard.dpa.doca.dev;

/// What the handle of a context of asynchronous operations points to: words of DPA memory, which
/// the host fills. Those from [#POSTED] on change: [#ENDED] belongs to the thread that takes the
/// completions, the others to the one that posts.
public final class AsyncOpsDescriptor {
    /// Where the blocks of the send queue are.
    public static final int RING = 0;

    /// The binary logarithm of their number.
    public static final int LOG_BLOCKS = 8;

    /// The number of the queue pair.
    public static final int QUEUE = 16;

    /// How many operations were posted.
    public static final int POSTED = 24;

    /// How many are known to have ended: whoever takes completions of a [ConnectionDescriptor]
    /// finds the word at the same place here.
    public static final int ENDED = ConnectionDescriptor.ENDED;

    /// The same, as far as the thread that posts has looked.
    public static final int SEEN = 40;

    /// The handle of the context of which it is.
    public static final int FUNCTION = 48;

    /// How long it is.
    public static final int BYTES = 64;

    private AsyncOpsDescriptor() {}
}
