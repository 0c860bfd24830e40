package dev.outboard.fabric.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The calls of the C library, by what they do to sockets on the loopback address.
class LibcTest {
    private static final int LOOPBACK = 0x7F00_0001;
    private static final int SOCK_DGRAM = 2;
    private static final int SOCK_NONBLOCK = 0x800;
    private static final int SOL_SOCKET = 1;
    private static final int SO_TYPE = 3;
    private static final int SO_REUSEADDR = 2;
    private static final int IPPROTO_TCP = 6;
    private static final int EBADF = 9;
    private static final int EPROTONOSUPPORT = 93;
    private static final int NO_DESCRIPTOR = -1;
    private static final int MAP_PRIVATE_ANONYMOUS = 0x22;

    private final Arena arena = Arena.ofAuto();
    private final MemorySegment errno = Libc.errnoIn(arena);
    private final int sender = Libc.socket(SockaddrIn.AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    private final int receiver = Libc.socket(SockaddrIn.AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);

    @AfterEach
    void close() {
        Libc.close(sender);
        Libc.close(receiver);
    }

    @Test
    void aDatagramGoesFromOneSocketToTheOther() {
        MemorySegment to = bind(receiver);
        MemorySegment sent = arena.allocateFrom(ValueLayout.JAVA_BYTE, new byte[] {1, 2, 3});
        MemorySegment received = arena.allocate(8);

        assertThat(Libc.recvmsg(errno, receiver, message(received), 0)).isEqualTo(-Errno.EAGAIN);
        assertThat(Libc.sendmsg(errno, sender, messageTo(to, sent), 0)).isEqualTo(3);
        assertThat(await(receiver)).isEqualTo(Pollfd.POLLIN);
        assertThat(Libc.recvmsg(errno, receiver, message(received), 0)).isEqualTo(3);
        assertThat(received.toArray(ValueLayout.JAVA_BYTE)).containsExactly(1, 2, 3, 0, 0, 0, 0, 0);
    }

    @Test
    void anAddressThatIsTakenIsRefused() {
        MemorySegment taken = bind(receiver);

        assertThat(Libc.bind(sender, taken)).isEqualTo(-Errno.EADDRINUSE);
    }

    @Test
    void optionsOfASocketAreReadAndChanged() {
        assertThat(Libc.getsockopt(sender, SOL_SOCKET, SO_TYPE)).isEqualTo(SOCK_DGRAM);
        assertThat(Libc.getsockopt(sender, SOL_SOCKET, SO_REUSEADDR)).isZero();
        assertThat(Libc.setsockopt(sender, SOL_SOCKET, SO_REUSEADDR, 1)).isZero();
        assertThat(Libc.getsockopt(sender, SOL_SOCKET, SO_REUSEADDR)).isEqualTo(1);
    }

    @Test
    void anEventCountsUpAndIsReadAtOnce() {
        int event = Libc.eventfd(5, EventFd.EFD_NONBLOCK);
        MemorySegment value = arena.allocateFrom(ValueLayout.JAVA_LONG, 2);
        assertThat(Libc.write(errno, event, value)).isEqualTo(Long.BYTES);
        assertThat(Libc.read(errno, event, value)).isEqualTo(Long.BYTES);
        assertThat(value.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(7);
        assertThat(Libc.read(errno, event, value)).isEqualTo(-Errno.EAGAIN);
        assertThat(Libc.close(event)).isZero();
    }

    @Test
    void waitingEndsWithItsTime() {
        MemorySegment polled = arena.allocate(Pollfd.SIZE, 8);
        MemorySegment time = arena.allocate(Timespec.SIZE, 8);
        Pollfd.set(polled, 0, receiver, Pollfd.POLLIN);
        Timespec.set(time, 1_000);

        assertThat(Libc.ppoll(errno, polled, 1, time)).isZero();
    }

    @Test
    void whatFailsGivesTheErrorNumber() {
        MemorySegment bytes = arena.allocate(8);

        assertThat(Libc.socket(SockaddrIn.AF_INET, SOCK_DGRAM, IPPROTO_TCP))
                .isEqualTo(-EPROTONOSUPPORT);
        assertThat(Libc.getsockname(NO_DESCRIPTOR, bytes)).isEqualTo(-EBADF);
        assertThat(Libc.getsockopt(NO_DESCRIPTOR, SOL_SOCKET, SO_TYPE)).isEqualTo(-EBADF);
        assertThat(Libc.setsockopt(NO_DESCRIPTOR, SOL_SOCKET, SO_TYPE, 1)).isEqualTo(-EBADF);
        assertThat(Libc.sendmsg(errno, NO_DESCRIPTOR, message(bytes), 0)).isEqualTo(-EBADF);
        assertThat(Libc.write(errno, NO_DESCRIPTOR, bytes)).isEqualTo(-EBADF);
        assertThat(Libc.close(NO_DESCRIPTOR)).isEqualTo(-EBADF);
        assertThat(Libc.eventfd(0, -1)).isEqualTo(-Errno.EINVAL);
        assertThat(Libc.mmap(0, MappingArena.PROT_READ, MAP_PRIVATE_ANONYMOUS))
                .isEqualTo(-Errno.EINVAL);
        assertThat(Libc.munmap(bytes.asSlice(1))).as("no page").isEqualTo(-Errno.EINVAL);
    }

    private MemorySegment bind(int fd) {
        MemorySegment name = arena.allocate(SockaddrIn.SIZE, 8);
        SockaddrIn.set(name, LOOPBACK, 0);
        assertThat(Libc.bind(fd, name)).isZero();
        assertThat(Libc.getsockname(fd, name)).isZero();
        assertThat(SockaddrIn.port(name)).isNotZero();
        return name;
    }

    private MemorySegment messageTo(MemorySegment name, MemorySegment bytes) {
        MemorySegment message = message(bytes);
        Msghdr.name(message, name.address(), (int) name.byteSize());
        return message;
    }

    private MemorySegment message(MemorySegment bytes) {
        MemorySegment pieces = arena.allocate(Iovec.SIZE, 8);
        Iovec.set(pieces, 0, bytes.address(), bytes.byteSize());
        MemorySegment message = arena.allocate(Msghdr.SIZE, 8);
        Msghdr.iovecs(message, pieces.address(), 1);
        return message;
    }

    /// What there is to do with `fd`, within ten seconds.
    private short await(int fd) {
        MemorySegment polled = arena.allocate(Pollfd.SIZE, 8);
        MemorySegment time = arena.allocate(Timespec.SIZE, 8);
        Pollfd.set(polled, 0, fd, Pollfd.POLLIN);
        Timespec.set(time, 10_000_000_000L);
        assertThat(Libc.ppoll(errno, polled, 1, time)).isEqualTo(1);
        return Pollfd.returnedEvents(polled, 0);
    }
}
