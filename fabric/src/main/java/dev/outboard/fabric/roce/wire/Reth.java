package dev.outboard.fabric.roce.wire;

import java.lang.foreign.MemorySegment;

/// The RDMA extended transport header of WRITE and READ requests: which remote memory.
///
/// ```
/// 0  virtual address:64     8  R_Key:32     12  DMA length:32, of the whole message
/// ```
///
/// Source: spec/roce.md, 1.4. `at` is the offset of the header in the segment.
///
/// ROCE-PKT-3: where each field of the header is.
public final class Reth {
    public static final int LENGTH = 16;

    private static final int VIRTUAL_ADDRESS = 0;
    private static final int REMOTE_KEY = 8;
    private static final int DMA_LENGTH = 12;

    private Reth() {}

    public static void write(
            MemorySegment segment, long at, long virtualAddress, int remoteKey, long dmaLength) {
        assert dmaLength >>> Integer.SIZE == 0 : dmaLength;
        BigEndian.put64(segment, at + VIRTUAL_ADDRESS, virtualAddress);
        BigEndian.put32(segment, at + REMOTE_KEY, remoteKey);
        BigEndian.put32(segment, at + DMA_LENGTH, (int) dmaLength);
    }

    public static long virtualAddress(MemorySegment segment, long at) {
        return BigEndian.get64(segment, at + VIRTUAL_ADDRESS);
    }

    public static int remoteKey(MemorySegment segment, long at) {
        return BigEndian.get32(segment, at + REMOTE_KEY);
    }

    /// Unsigned: 0 to 2³² − 1.
    public static long dmaLength(MemorySegment segment, long at) {
        return Integer.toUnsignedLong(BigEndian.get32(segment, at + DMA_LENGTH));
    }
}
