package dev.outboard.fabric.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/// ```c
/// struct cmsghdr {
///     size_t cmsg_len;    /* header and data, without the padding behind them */
///     int    cmsg_level;
///     int    cmsg_type;
///     /* unsigned char cmsg_data[]; */
/// };
/// ```
///
/// Entries of a control buffer start at multiples of 8.
public final class Cmsghdr {
    public static final long LENGTH = 0;
    public static final long LEVEL = 8;
    public static final long TYPE = 12;
    public static final long DATA = 16;
    public static final long SIZE = 16;

    private Cmsghdr() {}

    /// What an entry with `dataBytes` of data takes up: `CMSG_SPACE`.
    public static long space(long dataBytes) {
        return DATA + align(dataBytes);
    }

    public static void set(MemorySegment control, long at, int level, int type, long dataBytes) {
        control.set(JAVA_LONG, at + LENGTH, DATA + dataBytes);
        control.set(JAVA_INT, at + LEVEL, level);
        control.set(JAVA_INT, at + TYPE, type);
    }

    public static int level(MemorySegment control, long at) {
        return control.get(JAVA_INT, at + LEVEL);
    }

    public static int type(MemorySegment control, long at) {
        return control.get(JAVA_INT, at + TYPE);
    }

    /// Where the entry behind the one at `at` starts: `CMSG_NXTHDR`.
    public static long next(MemorySegment control, long at) {
        return at + align(control.get(JAVA_LONG, at + LENGTH));
    }

    private static long align(long bytes) {
        return (bytes + 7) & ~7L;
    }
}
