package dev.outboard.naa;

import dev.outboard.fabric.ConnectionEvent;

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
    public NaaConnectException(Where where, Reason reason, String what) {
        super(where, what);
        this.reason = reason;
        this.rejectReason = 0;
        this.rejectData = new byte[0];
    }

    /// A failure that another exception caused.
    public NaaConnectException(Where where, Reason reason, String what, Throwable cause) {
        super(where, what, cause);
        this.reason = reason;
        this.rejectReason = 0;
        this.rejectData = new byte[0];
    }

    /// The peer rejected the connection.
    public NaaConnectException(Where where, String what, int rejectReason, byte[] rejectData) {
        super(where, what);
        this.reason = Reason.REJECTED;
        this.rejectReason = rejectReason;
        this.rejectData = rejectData.clone();
    }

    /// The failure that an event of connection management reports.
    ///
    /// NAA-CONN-8: each event has a reason of its own.
    public static NaaConnectException of(ConnectionEvent event, Where where) {
        return switch (event.type()) {
            case ADDRESS_ERROR -> of(event, where, Reason.ADDRESS_RESOLUTION, "no such address");
            case ROUTE_ERROR -> of(event, where, Reason.ROUTE_RESOLUTION, "no route");
            case UNREACHABLE ->
                    of(event, where, Reason.UNREACHABLE, "no answer; is a server running there?");
            case DEVICE_REMOVAL -> of(event, where, Reason.DEVICE_REMOVED, "device removed");
            case REJECTED -> rejected(event, where);
            default -> of(event, where, Reason.CONNECT_ERROR, "connect error");
        };
    }

    private static NaaConnectException of(
            ConnectionEvent event, Where where, Reason reason, String what) {
        String details =
                event.explanation().isEmpty() ? "" : " (%s)".formatted(event.explanation());
        return new NaaConnectException(where, reason, what + details);
    }

    private static NaaConnectException rejected(ConnectionEvent event, Where where) {
        byte[] data = event.parameters().privateData();
        String text = PrintableText.of(data);
        String why = text.isEmpty() ? event.explanation() : '"' + text + '"';
        return new NaaConnectException(
                where,
                "rejected: " + (why.isEmpty() ? "reason " + event.status() : why),
                event.status(),
                data);
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
