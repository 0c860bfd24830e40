package dev.outboard.fabric.roce.wire.cm;

import java.util.Optional;

/// Why a connection was rejected (InfiniBand Architecture, volume 1, 12.6.7.2).
///
/// ROCE-CM-10: every reason has a number and a text.
public enum RejectReason {
    NO_QUEUE_PAIR(1, "no queue pair available"),
    NO_END_TO_END_CONTEXT(2, "no end-to-end context available"),
    NO_RESOURCES(3, "no resources available"),
    TIMEOUT(4, "the peer gave up waiting"),
    UNSUPPORTED_REQUEST(5, "unsupported request"),
    INVALID_COMMUNICATION_ID(6, "invalid communication ID"),
    INVALID_COMMUNICATION_INSTANCE(7, "invalid communication instance"),
    INVALID_SERVICE_ID(8, "nobody listens on this port"),
    INVALID_TRANSPORT_TYPE(9, "invalid transport service type"),
    STALE_CONNECTION(10, "stale connection: the queue pair is still connected; try again"),
    RDC_DOES_NOT_EXIST(11, "reliable datagram channel does not exist"),
    INVALID_GID(12, "the address does not belong to the peer"),
    INVALID_LID(13, "invalid LID"),
    INVALID_SERVICE_LEVEL(14, "invalid service level"),
    INVALID_TRAFFIC_CLASS(15, "invalid traffic class"),
    INVALID_HOP_LIMIT(16, "invalid hop limit"),
    INVALID_PACKET_RATE(17, "invalid packet rate"),
    INVALID_ALTERNATE_GID(18, "invalid alternate GID"),
    INVALID_ALTERNATE_LID(19, "invalid alternate LID"),
    INVALID_ALTERNATE_SERVICE_LEVEL(20, "invalid alternate service level"),
    INVALID_ALTERNATE_TRAFFIC_CLASS(21, "invalid alternate traffic class"),
    INVALID_ALTERNATE_HOP_LIMIT(22, "invalid alternate hop limit"),
    INVALID_ALTERNATE_PACKET_RATE(23, "invalid alternate packet rate"),
    PORT_AND_CM_REDIRECT(24, "redirected to another port and connection manager"),
    PORT_REDIRECT(25, "redirected to another port"),
    INVALID_MTU(26, "the peer's link does not carry this path MTU"),
    INSUFFICIENT_RESPONDER_RESOURCES(27, "insufficient responder resources"),
    CONSUMER_REJECT(28, "rejected by the application"),
    INVALID_RNR_RETRY(29, "invalid RNR retry count"),
    DUPLICATE_LOCAL_COMMUNICATION_ID(30, "duplicate local communication ID"),
    INVALID_CLASS_VERSION(31, "invalid class version"),
    INVALID_FLOW_LABEL(32, "invalid flow label"),
    INVALID_ALTERNATE_FLOW_LABEL(33, "invalid alternate flow label"),
    VENDOR_OPTION_NOT_SUPPORTED(35, "vendor option not supported");

    private final int code;
    private final String explanation;

    RejectReason(int code, String explanation) {
        this.code = code;
        this.explanation = explanation;
    }

    /// The number in a REJ.
    public int code() {
        return code;
    }

    /// One line for people.
    public String explanation() {
        return explanation;
    }

    /// The reason with this number, unless nobody defined it.
    public static Optional<RejectReason> of(int code) {
        for (RejectReason reason : values()) {
            if (reason.code == code) {
                return Optional.of(reason);
            }
        }
        return Optional.empty();
    }

    /// One line for people about any code that a peer may send.
    public static String explain(int code) {
        return of(code).map(RejectReason::explanation).orElse("unknown reject reason")
                + " (reason "
                + code
                + ")";
    }
}
