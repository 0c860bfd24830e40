package dev.outboard.dpa.doca.dev;

/// What device code knows of a connection of an RDMA context: words of DPA memory behind the
/// [RdmaDescriptor].
public final class ConnectionDescriptor {
    /// The number of the queue pair, or 0 if there is none; with [#RETIRING], if the host takes it
    /// away unless device code is using it.
    public static final int QUEUE = 0;

    /// Above the bits of a number.
    public static final long RETIRING = 1L << 32;

    /// Where the blocks of its send queue are.
    public static final int SEND_RING = 8;

    /// How many operations have been posted.
    public static final int POSTED = 16;

    /// Up to where the NIC has been told.
    public static final int RUNG = 24;

    /// How many are known to have ended.
    public static final int ENDED = 32;

    /// The descriptor of the context.
    public static final int RDMA = 40;

    /// Whether device code is posting to it, so that it keeps its queue pair: 1 or 0.
    public static final int PINNED = 48;

    /// When device code used it last, counted in uses of the context.
    public static final int USED = 56;

    /// How long it is.
    public static final int BYTES = 64;

    private ConnectionDescriptor() {}

    /// That of a connection.
    public static long of(long rdma, int connection) {
        return rdma + RdmaDescriptor.BYTES + (long) connection * BYTES;
    }
}
