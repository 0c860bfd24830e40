package dev.outboard.fabric.roce.wire;

import java.lang.foreign.MemorySegment;

/// The atomic ACK extended transport header: 64 bits, the value that the remote memory held before.
///
/// Source: spec/roce.md, 1.4. `at` is the offset of the header in the segment.
///
/// ROCE-PKT-3: where the field of the header is.
public final class AtomicAckEth {
    public static final int LENGTH = 8;

    private AtomicAckEth() {}

    public static void write(MemorySegment segment, long at, long originalValue) {
        BigEndian.put64(segment, at, originalValue);
    }

    public static long originalValue(MemorySegment segment, long at) {
        return BigEndian.get64(segment, at);
    }
}
