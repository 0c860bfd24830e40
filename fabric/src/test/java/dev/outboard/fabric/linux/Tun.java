package dev.outboard.fabric.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.TimeUnit;

/// The far end of a TUN interface: what the kernel puts on its wire, IP header first. The interface
/// offloads nothing, so packets are seen as the last software in the kernel leaves them.
@SuppressWarnings("restricted")
public final class Tun implements AutoCloseable {
    private static final int O_RDWR = 2;
    private static final int O_NONBLOCK = 0x800;
    private static final long TUNSETIFF = 0x400454CAL;
    private static final short IFF_TUN_NO_PI = 0x1001;
    private static final long IFREQ_SIZE = 40;
    private static final long IFREQ_FLAGS = 16;
    private static final int MAX_PACKET = 1 << 16;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final MethodHandle OPEN = variadic("open", JAVA_INT, 2, ADDRESS, JAVA_INT);
    private static final MethodHandle IOCTL =
            variadic("ioctl", JAVA_INT, 2, JAVA_INT, JAVA_LONG, ADDRESS);

    private final Arena arena = Arena.ofAuto();
    private final MemorySegment packet = arena.allocate(MAX_PACKET);
    private final MemorySegment errno = Libc.errnoIn(arena);
    private final MemorySegment polled = arena.allocate(Pollfd.SIZE, Long.BYTES);
    private final MemorySegment timeout = arena.allocate(Timespec.SIZE, Long.BYTES);
    private final int fd;

    /// Attaches to the interface of that name.
    public Tun(String name) throws Throwable {
        MemorySegment device = arena.allocateFrom("/dev/net/tun");
        this.fd = (int) OPEN.invokeExact(device, O_RDWR | O_NONBLOCK);
        MemorySegment request = arena.allocate(IFREQ_SIZE, Long.BYTES);
        request.setString(0, name);
        request.set(JAVA_SHORT, IFREQ_FLAGS, IFF_TUN_NO_PI);
        int result = (int) IOCTL.invokeExact(fd, TUNSETIFF, request);
        if (fd < 0 || result < 0) {
            throw new AssertionError("cannot attach to the interface " + name);
        }
    }

    /// The next IPv4 packet with UDP inside.
    public byte[] next() {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (System.nanoTime() < deadline) {
            int length = Libc.read(errno, fd, packet);
            if (length > 28 && packet.get(JAVA_BYTE, 0) == 0x45 && packet.get(JAVA_BYTE, 9) == 17) {
                return packet.asSlice(0, length).toArray(JAVA_BYTE);
            }
            if (length < 0) {
                Pollfd.set(polled, 0, fd, Pollfd.POLLIN);
                Timespec.set(timeout, PATIENCE_NANOS);
                Libc.ppoll(errno, polled, 1, timeout);
            }
        }
        throw new AssertionError("no packet came out of the interface");
    }

    @Override
    public void close() {
        Libc.close(fd);
    }

    private static MethodHandle variadic(
            String name, ValueLayout result, int fixed, ValueLayout... arguments) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow(name),
                FunctionDescriptor.of(result, arguments),
                Linker.Option.firstVariadicArg(fixed));
    }
}
