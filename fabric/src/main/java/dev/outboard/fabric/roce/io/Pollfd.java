package dev.outboard.fabric.roce.io;

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
final class Pollfd {
    static final long FD = 0;
    static final long EVENTS = 4;
    static final long RETURNED_EVENTS = 6;
    static final long SIZE = 8;

    /// `POLLIN`: there is something to read.
    static final short POLLIN = 1;

    private Pollfd() {}

    static void set(MemorySegment array, int index, int fd, short events) {
        array.set(JAVA_INT, index * SIZE + FD, fd);
        array.set(JAVA_SHORT, index * SIZE + EVENTS, events);
        array.set(JAVA_SHORT, index * SIZE + RETURNED_EVENTS, (short) 0);
    }

    static short returnedEvents(MemorySegment array, int index) {
        return array.get(JAVA_SHORT, index * SIZE + RETURNED_EVENTS);
    }
}
