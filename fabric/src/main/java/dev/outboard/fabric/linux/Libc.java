package dev.outboard.fabric.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;

/// The calls of the C library that this package is made of. Each returns what C returns, or −errno
/// where C returns −1. Stateless: any thread may call.
///
/// Calls that happen per packet or per wait take the memory for errno from the caller, who keeps
/// one per thread of control and call; the others allocate it.
@SuppressWarnings("restricted")
public final class Libc {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option CAPTURE_ERRNO = Linker.Option.captureCallState("errno");
    private static final StructLayout CALL_STATE = Linker.Option.captureStateLayout();
    private static final long ERRNO = CALL_STATE.byteOffset(PathElement.groupElement("errno"));

    private static final int NO_FILE = -1;
    private static final long MAP_FAILED = -1;

    private static final MethodHandle SOCKET =
            handle("socket", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle BIND = handle("bind", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle GETSOCKNAME =
            handle("getsockname", JAVA_INT, JAVA_INT, ADDRESS, ADDRESS);
    private static final MethodHandle SETSOCKOPT =
            handle("setsockopt", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle GETSOCKOPT =
            handle("getsockopt", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS);
    private static final MethodHandle CLOSE = handle("close", JAVA_INT, JAVA_INT);
    private static final MethodHandle EVENTFD = handle("eventfd", JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle SENDMSG =
            handle("sendmsg", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle RECVMSG =
            handle("recvmsg", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle PPOLL =
            handle("ppoll", JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS);
    private static final MethodHandle READ =
            handle("read", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);
    private static final MethodHandle WRITE =
            handle("write", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);
    private static final MethodHandle MMAP =
            handle("mmap", JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG);
    private static final MethodHandle MUNMAP = handle("munmap", JAVA_INT, ADDRESS, JAVA_LONG);

    private Libc() {}

    /// Memory for the errno of one caller.
    public static MemorySegment errnoIn(Arena arena) {
        return arena.allocate(CALL_STATE);
    }

    public static int socket(int domain, int type, int protocol) {
        return control(SOCKET, domain, type, protocol);
    }

    public static int bind(int fd, MemorySegment address) {
        return control(BIND, fd, address, (int) address.byteSize());
    }

    public static int getsockname(int fd, MemorySegment address) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment length = arena.allocateFrom(JAVA_INT, (int) address.byteSize());
            return control(GETSOCKNAME, fd, address, length);
        }
    }

    public static int setsockopt(int fd, int level, int option, int value) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment argument = arena.allocateFrom(JAVA_INT, value);
            return control(SETSOCKOPT, fd, level, option, argument, Integer.BYTES);
        }
    }

    /// The value of an option that is a non-negative integer, or −errno.
    public static int getsockopt(int fd, int level, int option) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(JAVA_INT);
            MemorySegment length = arena.allocateFrom(JAVA_INT, Integer.BYTES);
            int result = control(GETSOCKOPT, fd, level, option, value, length);
            return result < 0 ? result : value.get(JAVA_INT, 0);
        }
    }

    public static int close(int fd) {
        return control(CLOSE, fd);
    }

    public static int eventfd(int initial, int flags) {
        return control(EVENTFD, initial, flags);
    }

    public static int sendmsg(MemorySegment errno, int fd, MemorySegment message, int flags) {
        try {
            return result((long) SENDMSG.invokeExact(errno, fd, message, flags), errno);
        } catch (Throwable t) {
            throw unchecked(t);
        }
    }

    /// Not many calls below the application's: the compiler inlines 15 of them, and where it ends
    /// in between it does not remove the object that the linker makes for the errno.
    public static int recvmsg(MemorySegment errno, int fd, MemorySegment message, int flags) {
        try {
            return result((long) RECVMSG.invokeExact(errno, fd, message, flags), errno);
        } catch (Throwable t) {
            throw unchecked(t);
        }
    }

    public static int ppoll(
            MemorySegment errno, MemorySegment polled, long count, MemorySegment timeout) {
        try {
            MemorySegment signals = MemorySegment.NULL;
            return result((int) PPOLL.invokeExact(errno, polled, count, timeout, signals), errno);
        } catch (Throwable t) {
            throw unchecked(t);
        }
    }

    public static int read(MemorySegment errno, int fd, MemorySegment bytes) {
        try {
            return result((long) READ.invokeExact(errno, fd, bytes, bytes.byteSize()), errno);
        } catch (Throwable t) {
            throw unchecked(t);
        }
    }

    public static int write(MemorySegment errno, int fd, MemorySegment bytes) {
        try {
            return result((long) WRITE.invokeExact(errno, fd, bytes, bytes.byteSize()), errno);
        } catch (Throwable t) {
            throw unchecked(t);
        }
    }

    /// Memory of the system's that is nobody else's: the address, or −errno.
    public static long mmap(long byteSize, int protection, int flags) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = errnoIn(arena);
            MemorySegment anywhere = MemorySegment.NULL;
            long address =
                    (long)
                            MMAP.invokeExact(
                                    errno, anywhere, byteSize, protection, flags, NO_FILE, 0L);
            return address == MAP_FAILED ? result(MAP_FAILED, errno) : address;
        } catch (Throwable t) {
            throw unchecked(t);
        }
    }

    public static int munmap(MemorySegment memory) {
        return control(MUNMAP, memory, memory.byteSize());
    }

    private static int control(MethodHandle call, Object... arguments) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = errnoIn(arena);
            List<Object> all = new ArrayList<>(List.of(arguments));
            all.addFirst(errno);
            return result((int) call.invokeWithArguments(all), errno);
        } catch (Throwable t) {
            throw unchecked(t);
        }
    }

    private static int result(long returned, MemorySegment errno) {
        return returned >= 0 ? (int) returned : -errno.get(JAVA_INT, ERRNO);
    }

    private static MethodHandle handle(String name, ValueLayout result, ValueLayout... arguments) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name),
                FunctionDescriptor.of(result, arguments),
                CAPTURE_ERRNO);
    }

    private static RuntimeException unchecked(Throwable thrown) {
        switch (thrown) {
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new AssertionError("a C function threw", thrown);
        }
    }
}
