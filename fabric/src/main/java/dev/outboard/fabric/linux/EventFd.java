package dev.outboard.fabric.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.NotificationHandle;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// An eventfd of Linux: readable once somebody has signalled. Signalling allocates nothing. Any
/// thread may use it.
public final class EventFd implements NotificationHandle {
    public static final int EFD_NONBLOCK = 0x800;
    public static final int EFD_CLOEXEC = 0x80000;
    private static final int CLOSED = -1;

    private final Descriptor descriptor;
    private final Arena arena = Arena.ofAuto();

    /// For all who signal and clear: nobody asks why one failed, as a full event is readable, too,
    /// and an empty one is clear.
    private final MemorySegment errno = Libc.errnoIn(arena);

    private final MemorySegment one = arena.allocateFrom(JAVA_LONG, 1);
    private final MemorySegment drained = arena.allocate(JAVA_LONG);

    /// @param description names it in exceptions
    public EventFd(String description) {
        int fd = Libc.eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
        if (fd < 0) {
            throw new FabricException(
                    Reason.SYSTEM,
                    "cannot make an eventfd for "
                            + description
                            + ": "
                            + Errno.name(-fd)
                            + "; a process has a limited number of open files (ulimit -n)");
        }
        this.descriptor = new Descriptor(fd, description);
    }

    /// The descriptor, which stays open until the matching [#release].
    ///
    /// @throws IllegalStateException if it is closed
    public int acquire() {
        return descriptor.acquire();
    }

    public void release() {
        descriptor.release();
    }

    @Override
    public int fileDescriptor() {
        try {
            int fd = acquire();
            release();
            return fd;
        } catch (IllegalStateException e) {
            throw new FabricException(Reason.CLOSED, String.valueOf(e.getMessage()), e);
        }
    }

    @Override
    public void signal() {
        int fd = acquireIfOpen();
        if (fd != CLOSED) {
            Libc.write(errno, fd, one);
            release();
        }
    }

    @Override
    public void clear() {
        int fd = acquireIfOpen();
        if (fd != CLOSED) {
            Libc.read(errno, fd, drained);
            release();
        }
    }

    private int acquireIfOpen() {
        try {
            return acquire();
        } catch (IllegalStateException e) {
            return CLOSED;
        }
    }

    @Override
    public void close() {
        descriptor.close();
    }
}
