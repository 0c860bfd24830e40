package dev.outboard.dpa.doca.dev;

/// What the handle of a completion context points to: words of DPA memory, which the host fills.
/// The last two change: they belong to the thread that uses the context.
public final class CompletionDescriptor {
    /// Where the entries are.
    public static final int RING = 0;

    /// The binary logarithm of their number.
    public static final int LOG_DEPTH = 8;

    /// Where the consumer index goes.
    public static final int RECORD = 16;

    /// The number of the completion queue.
    public static final int NUMBER = 24;

    /// Where the table of the queue pairs is whose completions come here: [#QUEUE_BYTES] each, with
    /// the number first and the [ConnectionDescriptor] behind; at the place that the number says,
    /// or behind that.
    public static final int QUEUES = 48;

    /// How many places it has, a power of two. There is always a free one.
    public static final int PLACES = 56;

    /// How long a place of that table is.
    public static final int QUEUE_BYTES = 16;

    /// How many entries were taken.
    public static final int TAKEN = 32;

    /// How many of those were acknowledged.
    public static final int ACKNOWLEDGED = 40;

    /// The handle of the context of which it is.
    public static final int FUNCTION = 64;

    /// How long it is.
    public static final int BYTES = 72;

    private CompletionDescriptor() {}
}
