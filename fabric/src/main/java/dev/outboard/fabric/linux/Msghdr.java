package dev.outboard.fabric.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/// ```c
/// struct msghdr {
///     void         *msg_name;
///     socklen_t     msg_namelen;
///     struct iovec *msg_iov;
///     size_t        msg_iovlen;
///     void         *msg_control;
///     size_t        msg_controllen;
///     int           msg_flags;
/// };
/// ```
public final class Msghdr {
    public static final long NAME = 0;
    public static final long NAME_LENGTH = 8;
    public static final long IOVECS = 16;
    public static final long IOVEC_COUNT = 24;
    public static final long CONTROL = 32;
    public static final long CONTROL_LENGTH = 40;
    public static final long FLAGS = 48;
    public static final long SIZE = 56;

    private Msghdr() {}

    public static void name(MemorySegment message, long address, int length) {
        message.set(JAVA_LONG, NAME, address);
        message.set(JAVA_INT, NAME_LENGTH, length);
    }

    public static void iovecs(MemorySegment message, long address, int count) {
        message.set(JAVA_LONG, IOVECS, address);
        message.set(JAVA_LONG, IOVEC_COUNT, count);
    }

    public static void control(MemorySegment message, long address, long length) {
        message.set(JAVA_LONG, CONTROL, address);
        message.set(JAVA_LONG, CONTROL_LENGTH, length);
    }

    public static long controlLength(MemorySegment message) {
        return message.get(JAVA_LONG, CONTROL_LENGTH);
    }

    public static int flags(MemorySegment message) {
        return message.get(JAVA_INT, FLAGS);
    }
}
