package dev.outboard.dpa.doca.dev;

/// What the handle of an RDMA context points to: words of DPA memory. The host fills them; device
/// code counts what it posts. After them comes a [ConnectionDescriptor] for each connection.
public final class RdmaDescriptor {
    /// Whether the context is started: [#YES] or 0.
    public static final int ALIVE = 0;

    /// How many connections there may be.
    public static final int CONNECTIONS = 8;

    /// The binary logarithm of the blocks of a send queue.
    public static final int LOG_SENDS = 16;

    /// Where the completions of sends are, if device calls take them, else 0.
    public static final int COMPLETION_RING = 24;

    /// Where the consumer index of those is.
    public static final int COMPLETION_RECORD = 32;

    /// The binary logarithm of the entries there.
    public static final int LOG_COMPLETIONS = 40;

    /// How many of them have been taken.
    public static final int TAKEN = 48;

    /// Where the entries of the receive queue are.
    public static final int RECEIVE_RING = 56;

    /// Where the producer index of those is.
    public static final int RECEIVE_RECORD = 64;

    /// The binary logarithm of their number.
    public static final int LOG_RECEIVES = 72;

    /// How many receives have been posted.
    public static final int RECEIVES = 80;

    /// How many of them are known to have ended.
    public static final int RECEIVED = 104;

    /// Where a value that an atomic brings back goes.
    public static final int RESULT = 88;

    /// The key of that.
    public static final int RESULT_KEY = 96;

    /// How many connections may have a queue pair at once, if they have one on demand, else 0.
    public static final int PAIRS = 112;

    /// The completion queue by which device code interrupts the host to ask for a queue pair.
    public static final int HOST_BELL = 120;

    /// The connection that it is for.
    public static final int WANTED = 128;

    /// The connection that gives its one up, or -1.
    public static final int INSTEAD = 136;

    /// Whether device code waits for it: 1 or 0.
    public static final int ASKED = 144;

    /// How often connections with queue pairs on demand have been used.
    public static final int USES = 152;

    /// The handle of the context of the DPA.
    public static final int FUNCTION = 160;

    /// How long it is, without connections.
    public static final int BYTES = 192;

    /// Stands for yes.
    public static final long YES = 0x52444D41;

    private RdmaDescriptor() {}
}
