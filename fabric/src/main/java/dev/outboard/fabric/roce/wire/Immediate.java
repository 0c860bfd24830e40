package dev.outboard.fabric.roce.wire;

import java.lang.foreign.MemorySegment;

/// Immediate data: 4 opaque bytes that go from the sender's request to the receiver's completion.
/// As an `int` the first byte on the wire is the most significant.
///
/// Source: spec/roce.md, 1.4. `at` is the offset of the header in the segment.
///
/// ROCE-PKT-3: where the field of the header is.
public final class Immediate {
    public static final int LENGTH = 4;

    private Immediate() {}

    public static void write(MemorySegment segment, long at, int immediate) {
        BigEndian.put32(segment, at, immediate);
    }

    public static int immediate(MemorySegment segment, long at) {
        return BigEndian.get32(segment, at);
    }
}
