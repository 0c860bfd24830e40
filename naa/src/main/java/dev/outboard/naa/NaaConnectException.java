package dev.outboard.naa;

/// There is no connection, or no more.
public final class NaaConnectException extends NaaException {
    private static final long serialVersionUID = 1;

    /// Why there is none.
    public enum Reason {
        ADDRESS_RESOLUTION,
        ROUTE_RESOLUTION,
        CONNECT_ERROR,
        UNREACHABLE,
        REJECTED,
        DEVICE_REMOVED,
        DISCONNECTED,
        /// No NAA is known that offers the function and is not in use.
        NO_NAA
    }

    private final Reason reason;
    private final int rejectReason;
    private final byte[] rejectData;

    /// A failure that no reject explains.
    NaaConnectException(Where where, Reason reason, String what) {
        super(where, what);
        this.reason = reason;
        this.rejectReason = 0;
        this.rejectData = new byte[0];
    }

    /// A failure that another exception caused.
    NaaConnectException(Where where, Reason reason, String what, Throwable cause) {
        super(where, what, cause);
        this.reason = reason;
        this.rejectReason = 0;
        this.rejectData = new byte[0];
    }

    /// The peer rejected the connection.
    NaaConnectException(Where where, String what, int rejectReason, byte[] rejectData) {
        super(where, what);
        this.reason = Reason.REJECTED;
        this.rejectReason = rejectReason;
        this.rejectData = rejectData.clone();
    }

    /// Why there is no connection.
    public Reason reason() {
        return reason;
    }

    /// The connection management's reject reason, such as 28 for "consumer defined"; 0 unless
    /// REJECTED.
    public int rejectReason() {
        return rejectReason;
    }

    /// What the peer sent along with its reject: untrusted bytes, at most 148.
    public byte[] rejectData() {
        return rejectData.clone();
    }
}
