package dev.outboard.dpa.nic.layout;

import dev.outboard.dpa.machine.MemoryAccess;

/// DPA-FXQ-8b: the Ethernet segment of a send entry: 16 bytes, big-endian, which follow the control
/// segment of each frame. The first bytes of the frame may stand in it and in the segments after
/// it; the data segments have the rest.
///
/// ```java
/// SendEntry.writeControl(thread, entry, index, SendEntry.SEND, queue, 3, completion);
/// EthernetSegment.write(thread, entry + SendEntry.SEGMENT_BYTES, 0);
/// DataSegment.write(thread, entry + 2 * SendEntry.SEGMENT_BYTES, lengthBytes, key, frame);
/// ```
public final class EthernetSegment {
    private static final int FLAGS_AND_SEGMENT_SIZE = 4;
    private static final int RESERVED = 8;
    private static final int INLINE_BYTES = 12;
    private static final int INLINE_DATA = 14;
    private static final int FIRST_INLINE_BYTES = SendEntry.SEGMENT_BYTES - INLINE_DATA;

    private EthernetSegment() {}

    /// Writes a segment that asks for nothing but to send: no checksums, no division into smaller
    /// frames.
    ///
    /// @param inlineBytes how many bytes of the frame stand from [#inlineData] on
    public static void write(MemoryAccess memory, long segment, int inlineBytes) {
        BigEndian.store32(memory, segment, 0);
        BigEndian.store32(memory, segment + FLAGS_AND_SEGMENT_SIZE, 0);
        BigEndian.store32(memory, segment + RESERVED, 0);
        BigEndian.store32(memory, segment + INLINE_BYTES, inlineBytes << Short.SIZE);
    }

    /// How many bytes of the frame stand in the entry.
    public static int inlineBytes(MemoryAccess memory, long segment) {
        return BigEndian.load16(memory, segment + INLINE_BYTES);
    }

    /// Where they begin.
    public static long inlineData(long segment) {
        return segment + INLINE_DATA;
    }

    /// How many segments they take, the Ethernet segment included.
    public static int segments(int inlineBytes) {
        int more = Math.max(0, inlineBytes - FIRST_INLINE_BYTES);
        return 1 + (more + SendEntry.SEGMENT_BYTES - 1) / SendEntry.SEGMENT_BYTES;
    }

    /// Whether it asks for checksums or for division into smaller frames, which the NIC does not
    /// do.
    public static boolean asksForMore(MemoryAccess memory, long segment) {
        return BigEndian.load32(memory, segment + FLAGS_AND_SEGMENT_SIZE) != 0;
    }
}
