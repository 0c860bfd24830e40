package dev.outboard.fabric.roce.wire;

/// Why a received packet was dropped without an answer. Nothing is dropped without a reason and
/// every reason has a counter.
///
/// The first group is found out by [Packet#wrap] alone; the others need a checksum, a queue pair or
/// a datagram's content. Source: spec/roce.md, 3.6 (checks before the queue pair) and where named.
public enum Discard {
    /// Fewer bytes than its headers and ICRC take.
    TOO_SHORT("too short"),
    NOT_MULTIPLE_OF_4("length is no multiple of 4"),
    BAD_TRANSPORT_VERSION("transport version is not 0"),
    UNKNOWN_OPCODE("unknown opcode"),
    /// Queue pair 0 does not exist in RoCE; the start-up self-check of a peer sends there (2.4).
    QPN_ZERO("queue pair 0"),
    BAD_PARTITION_KEY("foreign partition key"),
    /// More pad bytes than payload.
    BAD_PAD("pad count exceeds the payload"),

    /// The checksum is wrong for every identification that the policy allows (2.3).
    BAD_ICRC("wrong ICRC"),

    UNKNOWN_QPN("no such queue pair"),
    /// An RC packet for a UD queue pair or the reverse.
    WRONG_TRANSPORT("queue pair of another transport"),
    /// The queue pair does not receive such packets in its state.
    WRONG_STATE("queue pair in a state that does not receive"),
    /// It comes from another address than the queue pair's peer.
    WRONG_SOURCE("not from the queue pair's peer"),

    /// A datagram with another Q_Key (4).
    BAD_QUEUE_KEY("foreign queue key"),
    /// A datagram, and no receive was posted (4).
    NO_RECEIVE("no receive posted"),
    /// A datagram larger than the receive's buffers (4).
    RECEIVE_TOO_SMALL("receive too small"),
    /// A datagram to queue pair 1 that is no connection-management MAD.
    BAD_MAD("not a connection-management datagram");

    private final String text;

    Discard(String text) {
        this.text = text;
    }

    /// The reason as people read it.
    @Override
    public String toString() {
        return text;
    }
}
