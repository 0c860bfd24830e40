package dev.outboard.fabric.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;

/// An array of
///
/// ```c
/// struct pollfd {
///     int   fd;
///     short events;
///     short revents;
/// };
/// ```
public final class Pollfd {
    public static final long FD = 0;
    public static final long EVENTS = 4;
    public static final long RETURNED_EVENTS = 6;
    public static final long SIZE = 8;

    /// `POLLIN`: there is something to read.
    public static final short POLLIN = 1;

    private Pollfd() {}

    public static void set(MemorySegment array, int index, int fd, short events) {
        array.set(JAVA_INT, index * SIZE + FD, fd);
        array.set(JAVA_SHORT, index * SIZE + EVENTS, events);
        array.set(JAVA_SHORT, index * SIZE + RETURNED_EVENTS, (short) 0);
    }

    public static short returnedEvents(MemorySegment array, int index) {
        return array.get(JAVA_SHORT, index * SIZE + RETURNED_EVENTS);
    }
}
