package dev.outboard.dpa.nic.layout;

import dev.outboard.dpa.machine.MemoryAccess;
import java.nio.ByteBuffer;

/// DPA-FXQ-8: a data pointer segment: 16 bytes, big-endian, which name a piece of memory. It is a
/// segment of a send entry, and all there is of a receive entry.
public final class DataSegment {
    /// Size of a segment.
    public static final int BYTES = 16;

    /// Set in the byte count of an inline segment, whose data follow right after the count.
    private static final int INLINE = 1 << 31;

    private static final int KEY = 4;
    private static final int ADDRESS = 8;

    private DataSegment() {}

    /// Writes a segment.
    public static void write(
            MemoryAccess memory, long segment, int byteCount, int key, long address) {
        BigEndian.store32(memory, segment, byteCount);
        BigEndian.store32(memory, segment + KEY, key);
        BigEndian.store64(memory, segment + ADDRESS, address);
    }

    /// Writes the begin of an inline segment; the data go to [#inlineData].
    public static void writeInline(MemoryAccess memory, long segment, int byteCount) {
        BigEndian.store32(memory, segment, byteCount | INLINE);
    }

    /// DPA-FXQ-7: what a host fills the ring of a receive queue with: an entry for each of the
    /// buffers that lie one after the other.
    ///
    /// @param stride from the begin of a buffer to that of the next one, in bytes
    public static byte[] ring(int entries, int byteCount, int key, long address, int stride) {
        ByteBuffer ring = ByteBuffer.allocate(BYTES * entries);
        for (long i = 0; i < entries; i++) {
            ring.putInt(byteCount).putInt(key).putLong(address + i * stride);
        }
        return ring.array();
    }

    /// How many bytes it names.
    public static int byteCount(MemoryAccess memory, long segment) {
        return BigEndian.load32(memory, segment) & ~INLINE;
    }

    /// Whether the data stand in the segment.
    public static boolean isInline(MemoryAccess memory, long segment) {
        return BigEndian.load32(memory, segment) < 0;
    }

    /// Where the data of an inline segment begin.
    public static long inlineData(long segment) {
        return segment + KEY;
    }

    /// The memory key.
    public static int key(MemoryAccess memory, long segment) {
        return BigEndian.load32(memory, segment + KEY);
    }

    /// The address.
    public static long address(MemoryAccess memory, long segment) {
        return BigEndian.load64(memory, segment + ADDRESS);
    }
}
