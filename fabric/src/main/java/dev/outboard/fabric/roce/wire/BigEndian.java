package dev.outboard.fabric.roce.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// Network byte order at any address of a segment. Every multi-byte field of BTH, its extension
/// headers, IP, UDP and the CM datagrams is read and written through here; the one exception is the
/// ICRC, which is little-endian ([Icrc#get]).
public final class BigEndian {
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private BigEndian() {}

    /// Unsigned: 0 to 255.
    public static int get8(MemorySegment segment, long at) {
        return Byte.toUnsignedInt(segment.get(ValueLayout.JAVA_BYTE, at));
    }

    /// Unsigned: 0 to 65,535.
    public static int get16(MemorySegment segment, long at) {
        return Short.toUnsignedInt(segment.get(SHORT, at));
    }

    public static int get32(MemorySegment segment, long at) {
        return segment.get(INT, at);
    }

    public static long get64(MemorySegment segment, long at) {
        return segment.get(LONG, at);
    }

    /// Stores the low 8 bits.
    public static void put8(MemorySegment segment, long at, int value) {
        segment.set(ValueLayout.JAVA_BYTE, at, (byte) value);
    }

    /// Stores the low 16 bits.
    public static void put16(MemorySegment segment, long at, int value) {
        segment.set(SHORT, at, (short) value);
    }

    public static void put32(MemorySegment segment, long at, int value) {
        segment.set(INT, at, value);
    }

    public static void put64(MemorySegment segment, long at, long value) {
        segment.set(LONG, at, value);
    }
}
