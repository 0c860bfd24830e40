package dev.outboard.dpa.nic.layout;

import dev.outboard.dpa.machine.MemoryAccess;

/// DPA-FXQ-8e: the transpose segment of a send entry: 16 bytes, which say what the source is: a
/// matrix, row by row. The data segments of source and destination follow.
///
/// ```java
/// SendEntry.writeControl(thread, entry, index, SendEntry.TRANSPOSE, queue, 4, completion);
/// TransposeSegment.write(thread, entry + SendEntry.SEGMENT_BYTES, 8, columns, rows);
/// DataSegment.write(thread, entry + 2 * SendEntry.SEGMENT_BYTES, lengthBytes, key, source);
/// DataSegment.write(thread, entry + 3 * SendEntry.SEGMENT_BYTES, lengthBytes, key, destination);
/// ```
public final class TransposeSegment {
    /// The most columns, and the most rows.
    public static final int MAX_COUNT = 0x7F;

    private static final int COLUMNS_AND_ROWS = 4;
    private static final int RESERVED = 8;
    private static final int BYTE_MASK = 0xFF;

    private TransposeSegment() {}

    /// Writes a segment.
    ///
    /// @param elementBytes the size of an element, from 1 to 255
    /// @param columns from 1 to [#MAX_COUNT]
    /// @param rows from 1 to [#MAX_COUNT]
    public static void write(
            MemoryAccess memory, long segment, int elementBytes, int columns, int rows) {
        BigEndian.store32(memory, segment, elementBytes);
        BigEndian.store32(memory, segment + COLUMNS_AND_ROWS, (columns << Short.SIZE) | rows);
        BigEndian.store64(memory, segment + RESERVED, 0);
    }

    /// The size of an element.
    public static int elementBytes(MemoryAccess memory, long segment) {
        return BigEndian.load32(memory, segment) & BYTE_MASK;
    }

    /// How many columns the source has.
    public static int columns(MemoryAccess memory, long segment) {
        return (BigEndian.load32(memory, segment + COLUMNS_AND_ROWS) >>> Short.SIZE) & BYTE_MASK;
    }

    /// How many rows the source has.
    public static int rows(MemoryAccess memory, long segment) {
        return BigEndian.load32(memory, segment + COLUMNS_AND_ROWS) & BYTE_MASK;
    }
}
