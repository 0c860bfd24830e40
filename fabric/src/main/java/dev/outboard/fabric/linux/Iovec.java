package dev.outboard.fabric.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/// An array of
///
/// ```c
/// struct iovec {
///     void  *iov_base;
///     size_t iov_len;
/// };
/// ```
public final class Iovec {
    public static final long BASE = 0;
    public static final long LENGTH = 8;
    public static final long SIZE = 16;

    private Iovec() {}

    public static void set(MemorySegment array, int index, long base, long length) {
        array.set(JAVA_LONG, index * SIZE + BASE, base);
        array.set(JAVA_LONG, index * SIZE + LENGTH, length);
    }

    public static long base(MemorySegment array, int index) {
        return array.get(JAVA_LONG, index * SIZE + BASE);
    }

    public static long length(MemorySegment array, int index) {
        return array.get(JAVA_LONG, index * SIZE + LENGTH);
    }

    public static void lengthen(MemorySegment array, int index, long bytes) {
        array.set(JAVA_LONG, index * SIZE + LENGTH, length(array, index) + bytes);
    }
}
