package dev.outboard.fabric.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/// ```c
/// struct timespec {
///     time_t tv_sec;
///     long   tv_nsec;
/// };
/// ```
public final class Timespec {
    public static final long SECONDS = 0;
    public static final long NANOSECONDS = 8;
    public static final long SIZE = 16;

    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private Timespec() {}

    public static void set(MemorySegment time, long nanos) {
        time.set(JAVA_LONG, SECONDS, nanos / NANOS_PER_SECOND);
        time.set(JAVA_LONG, NANOSECONDS, nanos % NANOS_PER_SECOND);
    }
}
