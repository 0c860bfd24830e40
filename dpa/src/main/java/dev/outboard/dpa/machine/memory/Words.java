package dev.outboard.dpa.machine.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// DPA-HW-13, DPA-MEM-3: little-endian words of 1, 2, 4 and 8 bytes in memory that several threads
/// use. Loads and stores are volatile, so all of them together are sequentially consistent, and
/// each is one indivisible access. On x86 a load costs nothing beyond a plain one but for what the
/// compiler may not reorder; a store costs a few nanoseconds.
public final class Words {
    /// Accesses 1 byte; coordinates are a segment and an offset.
    public static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();

    /// Accesses 2 bytes.
    public static final VarHandle SHORT =
            ValueLayout.JAVA_SHORT.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();

    /// Accesses 4 bytes.
    public static final VarHandle INT =
            ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();

    /// Accesses 8 bytes.
    public static final VarHandle LONG =
            ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();

    private Words() {}

    /// Loads a word of that size, without sign.
    public static long load(MemorySegment memory, long offset, int lengthBytes) {
        return switch (lengthBytes) {
            case 1 -> (byte) BYTE.getVolatile(memory, offset) & 0xFFL;
            case 2 -> (short) SHORT.getVolatile(memory, offset) & 0xFFFFL;
            case 4 -> (int) INT.getVolatile(memory, offset) & 0xFFFF_FFFFL;
            case 8 -> (long) LONG.getVolatile(memory, offset);
            default -> throw badLength(lengthBytes);
        };
    }

    /// Stores the low bytes of the value.
    public static void store(MemorySegment memory, long offset, int lengthBytes, long value) {
        switch (lengthBytes) {
            case 1 -> BYTE.setVolatile(memory, offset, (byte) value);
            case 2 -> SHORT.setVolatile(memory, offset, (short) value);
            case 4 -> INT.setVolatile(memory, offset, (int) value);
            case 8 -> LONG.setVolatile(memory, offset, value);
            default -> throw badLength(lengthBytes);
        }
    }

    /// The bits of a word of 1 to 8 bytes.
    public static long mask(int lengthBytes) {
        return -1L >>> (Long.SIZE - lengthBytes * Byte.SIZE);
    }

    /// The 8 bytes at an offset, aligned or not, as far as there are bytes. For memory that nobody
    /// else uses at the moment.
    public static long granule(MemorySegment bytes, long offset) {
        long value = 0;
        for (int i = 0; i < Long.BYTES && offset + i < bytes.byteSize(); i++) {
            long one = bytes.get(ValueLayout.JAVA_BYTE, offset + i) & 0xFFL;
            value |= one << (i * Byte.SIZE);
        }
        return value;
    }

    /// Puts 8 bytes to an offset, as far as there is room.
    public static void putGranule(MemorySegment bytes, long offset, long value) {
        for (int i = 0; i < Long.BYTES && offset + i < bytes.byteSize(); i++) {
            bytes.set(ValueLayout.JAVA_BYTE, offset + i, (byte) (value >>> (i * Byte.SIZE)));
        }
    }

    private static IllegalArgumentException badLength(int lengthBytes) {
        return new IllegalArgumentException("A word has 1, 2, 4 or 8 bytes, not " + lengthBytes);
    }
}
