package dev.outboard.fabric.roce.rc;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// Bytes that look random and depend on a number: what a message carries, made again to check it.
public final class Pattern {
    private static final ValueLayout.OfLong WORD =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Pattern() {}

    /// Fills `segment` with the bytes of pattern `number`.
    public static void fill(MemorySegment segment, long number) {
        long length = segment.byteSize();
        long at = 0;
        for (; at + Long.BYTES <= length; at += Long.BYTES) {
            segment.set(WORD, at, word(number, at));
        }
        for (long last = word(number, at); at < length; at++, last >>>= Byte.SIZE) {
            segment.set(ValueLayout.JAVA_BYTE, at, (byte) last);
        }
    }

    /// The first byte of `segment` that is not pattern `number`'s from `position` on; -1 if none.
    public static long mismatch(MemorySegment segment, long number, long position) {
        long i = 0;
        while (i < segment.byteSize()) {
            if (isWordEqual(segment, i, number, position + i)) {
                i += Long.BYTES;
            } else if (segment.get(ValueLayout.JAVA_BYTE, i) == at(number, position + i)) {
                i++;
            } else {
                return i;
            }
        }
        return -1;
    }

    /// Whether a whole word of the pattern is at `i`: eight bytes at a time, for long messages.
    private static boolean isWordEqual(MemorySegment segment, long i, long number, long position) {
        return position % Long.BYTES == 0
                && i + Long.BYTES <= segment.byteSize()
                && segment.get(WORD, i) == word(number, position);
    }

    /// Byte `position` of pattern `number`.
    static byte at(long number, long position) {
        long start = position & -Long.BYTES;
        return (byte) (word(number, start) >>> ((position - start) * Byte.SIZE));
    }

    private static long word(long number, long at) {
        long mixed = (number * 0x9E3779B97F4A7C15L) ^ (at * 0xD6E8FEB86659FD93L);
        mixed = (mixed ^ (mixed >>> 32)) * 0xD6E8FEB86659FD93L;
        return mixed ^ (mixed >>> 32);
    }
}
