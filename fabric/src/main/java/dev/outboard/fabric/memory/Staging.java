package dev.outboard.fabric.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Where bytes lie that were read from a region at a certain moment, until a [PayloadSink] has
/// passed them on. The oldest make room for the newest.
public final class Staging {
    /// More than a jumbo frame.
    private static final int MAX_PIECE_BYTES = 1 << 14;

    /// What a sink holds back, what is being appended to it, and what is left over at the end.
    private static final int BYTES = PayloadSink.MAX_HELD_BYTES + 2 * MAX_PIECE_BYTES;

    private final Payload payload = Payload.of(Arena.ofAuto().allocate(BYTES, Long.BYTES));
    private long next;

    /// Room for `length` bytes, at most as many as a packet or frame carries; returns where.
    public long room(int length) {
        if (next + length > BYTES) {
            next = 0;
        }
        long at = next;
        next += length;
        return at;
    }

    public Payload payload() {
        return payload;
    }

    public MemorySegment segment() {
        return payload.segment();
    }
}
