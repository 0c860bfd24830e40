package dev.outboard.naa;

/// An NAA session failed. The message says what was being done, with which peer, in which state,
/// what went wrong and what to do; the subclasses carry the codes for programs. Misuse is an
/// [IllegalArgumentException] or [IllegalStateException] instead.
public sealed class NaaException extends RuntimeException
        permits NaaConnectException,
                MrspException,
                NaaTransferException,
                NaaTimeoutException,
                NaaUnavailableException,
                RpcException {
    private static final long serialVersionUID = 1;

    /// What a session does, in this order.
    public enum Phase {
        CONNECT("connecting to"),
        REGION_SETUP("region setup with"),
        RPC("RPC with"),
        DISCONNECT("disconnecting from"),
        /// Before all others, in a [NaaPool][dev.outboard.naa.client.NaaPool].
        POOL("waiting for a session of");

        private final String words;

        Phase(String words) {
            this.words = words;
        }
    }

    /// Where a session was when it failed.
    ///
    /// @param peer address and port of the other side
    public record Where(Phase phase, NaaState state, String peer) {}

    /// Not serialized: meaningless in another process.
    private final transient Where where;

    /// A failure at `where`, told by `what`.
    public NaaException(Where where, String what) {
        super(message(where, what));
        this.where = where;
    }

    /// A failure at `where`, told by `what`, that another exception caused.
    public NaaException(Where where, String what, Throwable cause) {
        super(message(where, what), cause);
        this.where = where;
    }

    /// What was being done.
    public Phase phase() {
        return where.phase();
    }

    /// The state it failed in.
    public NaaState state() {
        return where.state();
    }

    /// The other side.
    public String peer() {
        return where.peer();
    }

    /// NAA-ROB-5b: phase, peer, cause and state, in this order.
    private static String message(Where where, String what) {
        return "%s %s: %s (state %s)".formatted(where.phase.words, where.peer, what, where.state);
    }
}
