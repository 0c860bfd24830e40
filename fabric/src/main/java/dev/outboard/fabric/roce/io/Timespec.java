package dev.outboard.fabric.roce.io;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/// ```c
/// struct timespec {
///     time_t tv_sec;
///     long   tv_nsec;
/// };
/// ```
final class Timespec {
    static final long SECONDS = 0;
    static final long NANOSECONDS = 8;
    static final long SIZE = 16;

    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private Timespec() {}

    static void set(MemorySegment time, long nanos) {
        time.set(JAVA_LONG, SECONDS, nanos / NANOS_PER_SECOND);
        time.set(JAVA_LONG, NANOSECONDS, nanos % NANOS_PER_SECOND);
    }
}
