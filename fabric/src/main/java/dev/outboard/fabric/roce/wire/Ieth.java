package dev.outboard.fabric.roce.wire;

import java.lang.foreign.MemorySegment;

/// The invalidate extended transport header: 32 bits, the R_Key that a SEND invalidates.
///
/// Source: spec/roce.md, 1.4. `at` is the offset of the header in the segment.
///
/// ROCE-PKT-3: where the field of the header is.
public final class Ieth {
    public static final int LENGTH = 4;

    private Ieth() {}

    public static void write(MemorySegment segment, long at, int remoteKey) {
        BigEndian.put32(segment, at, remoteKey);
    }

    public static int remoteKey(MemorySegment segment, long at) {
        return BigEndian.get32(segment, at);
    }
}
