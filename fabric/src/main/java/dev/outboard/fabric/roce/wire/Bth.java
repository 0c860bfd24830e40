package dev.outboard.fabric.roce.wire;

import java.lang.foreign.MemorySegment;

/// The base transport header: the first 12 bytes of every packet.
///
/// ```
/// 0  opcode           1  SE:1 M:1 PadCnt:2 TVer:4     2  P_Key:16
/// 4  FECN:1 BECN:1 reserved:6                         5  destination QPN:24
/// 8  A:1 reserved:7                                   9  PSN:24
/// ```
///
/// Source: spec/roce.md, 1.3. `at` is the offset of the header in the segment.
public final class Bth {
    public static final int LENGTH = 12;

    /// The default partition with full membership, which is what packets are sent with.
    public static final int DEFAULT_PARTITION_KEY = 0xFFFF;

    static final int OPCODE = 0;
    static final int FLAGS = 1;
    static final int PARTITION_KEY = 2;
    static final int CONGESTION = 4;
    static final int DESTINATION_QPN = 4;
    static final int ACK_REQUEST = 8;
    static final int PSN = 8;

    private static final int SOLICITED = 0x80;
    private static final int MIGRATED = 0x40;
    private static final int PAD_COUNT_SHIFT = 4;
    private static final int PAD_COUNT_MASK = 3;
    private static final int VERSION_MASK = 0x0F;
    private static final int FECN = 0x80;
    private static final int BECN = 0x40;
    private static final int ACK = 0x80;
    private static final int LOW_24_BITS = 0xFFFFFF;

    private Bth() {}

    /// Writes all 12 bytes; version, congestion and reserved bits are 0.
    ///
    /// ROCE-PKT-6: MigReq is sent as 1, as hardware does.
    ///
    /// ROCE-PKT-2: each field of the base header has its place, in golden packets as here.
    public static void write(
            MemorySegment segment,
            long at,
            Opcode opcode,
            boolean solicited,
            int padCount,
            int partitionKey,
            int destinationQpn,
            boolean ackRequest,
            int psn) {
        assert (padCount & ~PAD_COUNT_MASK) == 0 : padCount;
        assert (destinationQpn & ~LOW_24_BITS) == 0 : destinationQpn;
        assert (psn & ~LOW_24_BITS) == 0 : psn;
        int flags = (solicited ? SOLICITED : 0) | MIGRATED | padCount << PAD_COUNT_SHIFT;
        BigEndian.put32(segment, at, opcode.code() << 24 | flags << 16 | partitionKey);
        BigEndian.put32(segment, at + DESTINATION_QPN, destinationQpn);
        BigEndian.put32(segment, at + PSN, (ackRequest ? ACK << 24 : 0) | psn);
    }

    /// Changes the congestion bits of a written header. A CNP carries BECN; the ICRC covers
    /// neither.
    public static void putCongestion(MemorySegment segment, long at, boolean fecn, boolean becn) {
        BigEndian.put8(segment, at + CONGESTION, (fecn ? FECN : 0) | (becn ? BECN : 0));
    }

    /// ROCE-PKT-4: the pad bytes that a payload of that many bytes needs.
    public static int padCount(int payloadLength) {
        return -payloadLength & PAD_COUNT_MASK;
    }

    public static int opcode(MemorySegment segment, long at) {
        return BigEndian.get8(segment, at + OPCODE);
    }

    public static boolean solicited(MemorySegment segment, long at) {
        return (BigEndian.get8(segment, at + FLAGS) & SOLICITED) != 0;
    }

    public static boolean migrationRequest(MemorySegment segment, long at) {
        return (BigEndian.get8(segment, at + FLAGS) & MIGRATED) != 0;
    }

    public static int padCount(MemorySegment segment, long at) {
        return BigEndian.get8(segment, at + FLAGS) >> PAD_COUNT_SHIFT & PAD_COUNT_MASK;
    }

    public static int transportVersion(MemorySegment segment, long at) {
        return BigEndian.get8(segment, at + FLAGS) & VERSION_MASK;
    }

    public static int partitionKey(MemorySegment segment, long at) {
        return BigEndian.get16(segment, at + PARTITION_KEY);
    }

    public static boolean fecn(MemorySegment segment, long at) {
        return (BigEndian.get8(segment, at + CONGESTION) & FECN) != 0;
    }

    public static boolean becn(MemorySegment segment, long at) {
        return (BigEndian.get8(segment, at + CONGESTION) & BECN) != 0;
    }

    /// ROCE-PKT-8: the congestion and reserved bits beside the number are not looked at.
    public static int destinationQpn(MemorySegment segment, long at) {
        return BigEndian.get32(segment, at + DESTINATION_QPN) & LOW_24_BITS;
    }

    public static boolean ackRequest(MemorySegment segment, long at) {
        return (BigEndian.get8(segment, at + ACK_REQUEST) & ACK) != 0;
    }

    public static int psn(MemorySegment segment, long at) {
        return BigEndian.get32(segment, at + PSN) & LOW_24_BITS;
    }
}
