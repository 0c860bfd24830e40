package dev.outboard.fabric.roce.wire;

import java.lang.foreign.MemorySegment;

/// The atomic extended transport header of CMP_SWAP and FETCH_ADD.
///
/// ```
/// 0  virtual address:64     8  R_Key:32     12  swap or add data:64     20  compare data:64
/// ```
///
/// Source: spec/roce.md, 1.4; the compare data of a FETCH_ADD is 0. Address and key stand where the
/// [Reth] has them. `at` is the offset of the header in the segment.
///
/// ROCE-PKT-3: where each field of the header is.
public final class AtomicEth {
    public static final int LENGTH = 28;

    private static final int VIRTUAL_ADDRESS = 0;
    private static final int REMOTE_KEY = 8;
    private static final int SWAP_OR_ADD = 12;
    private static final int COMPARE = 20;

    private AtomicEth() {}

    public static void write(
            MemorySegment segment,
            long at,
            long virtualAddress,
            int remoteKey,
            long swapOrAdd,
            long compare) {
        BigEndian.put64(segment, at + VIRTUAL_ADDRESS, virtualAddress);
        BigEndian.put32(segment, at + REMOTE_KEY, remoteKey);
        BigEndian.put64(segment, at + SWAP_OR_ADD, swapOrAdd);
        BigEndian.put64(segment, at + COMPARE, compare);
    }

    public static long swapOrAdd(MemorySegment segment, long at) {
        return BigEndian.get64(segment, at + SWAP_OR_ADD);
    }

    public static long compare(MemorySegment segment, long at) {
        return BigEndian.get64(segment, at + COMPARE);
    }
}
