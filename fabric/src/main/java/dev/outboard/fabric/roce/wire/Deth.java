package dev.outboard.fabric.roce.wire;

import java.lang.foreign.MemorySegment;

/// The datagram extended transport header of UD packets.
///
/// ```
/// 0  Q_Key:32     4  reserved:8     5  source QPN:24
/// ```
///
/// Source: spec/roce.md, 1.4. `at` is the offset of the header in the segment.
///
/// ROCE-PKT-3: where each field of the header is.
public final class Deth {
    public static final int LENGTH = 8;

    private static final int QUEUE_KEY = 0;
    private static final int SOURCE_QPN = 4;
    private static final int LOW_24_BITS = 0xFFFFFF;

    private Deth() {}

    public static void write(MemorySegment segment, long at, int queueKey, int sourceQpn) {
        assert (sourceQpn & ~LOW_24_BITS) == 0 : sourceQpn;
        BigEndian.put32(segment, at + QUEUE_KEY, queueKey);
        BigEndian.put32(segment, at + SOURCE_QPN, sourceQpn);
    }

    public static int queueKey(MemorySegment segment, long at) {
        return BigEndian.get32(segment, at + QUEUE_KEY);
    }

    public static int sourceQpn(MemorySegment segment, long at) {
        return BigEndian.get32(segment, at + SOURCE_QPN) & LOW_24_BITS;
    }
}
