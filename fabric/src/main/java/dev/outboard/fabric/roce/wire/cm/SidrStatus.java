package dev.outboard.fabric.roce.wire.cm;

/// How a request for a datagram service was answered: the ordinal is the number in a SIDR_REP
/// (InfiniBand Architecture, volume 1, 12.11.2).
public enum SidrStatus {
    VALID("the queue pair is valid"),
    UNSUPPORTED("nobody listens on this port"),
    REJECTED("rejected by the application"),
    NO_QUEUE_PAIR("no queue pair available"),
    REDIRECTED("redirected to another port"),
    UNSUPPORTED_VERSION("unsupported version");

    private final String explanation;

    SidrStatus(String explanation) {
        this.explanation = explanation;
    }

    /// The number in a SIDR_REP.
    public int code() {
        return ordinal();
    }

    /// One line for people about any code that a peer may send.
    public static String explain(int code) {
        String text = code < values().length ? values()[code].explanation : "unknown status";
        return text + " (status " + code + ")";
    }
}
