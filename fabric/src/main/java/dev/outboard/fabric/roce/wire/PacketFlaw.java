package dev.outboard.fabric.roce.wire;

/// What keeps bytes from being a packet: found out by [Packet#wrap], the checksum apart, and by
/// nothing but the bytes. Source: spec/roce.md, 3.6, and where named.
public enum PacketFlaw {
    /// Fewer bytes than its headers and ICRC take.
    TOO_SHORT("too short"),
    NOT_MULTIPLE_OF_4("length is no multiple of 4"),
    BAD_TRANSPORT_VERSION("transport version is not 0"),
    UNKNOWN_OPCODE("unknown opcode"),
    /// No packet of RoCE is for queue pair 0; the start-up self-check of a peer sends there (2.4).
    QPN_ZERO("queue pair 0"),
    BAD_PARTITION_KEY("foreign partition key"),
    /// More pad bytes than payload.
    BAD_PAD("pad count exceeds the payload"),
    /// The checksum is wrong for every identification that the policy allows (2.3).
    BAD_ICRC("wrong ICRC");

    private final String text;

    PacketFlaw(String text) {
        this.text = text;
    }

    /// The flaw as people read it.
    @Override
    public String toString() {
        return text;
    }
}
