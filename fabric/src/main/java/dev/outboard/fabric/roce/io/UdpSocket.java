package dev.outboard.fabric.roce.io;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.linux.Descriptor;
import dev.outboard.fabric.linux.Errno;
import dev.outboard.fabric.linux.Iovec;
import dev.outboard.fabric.linux.Libc;
import dev.outboard.fabric.linux.Msghdr;
import dev.outboard.fabric.linux.SockaddrIn;
import dev.outboard.fabric.linux.SockaddrIn6;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;

/// An unconnected UDP socket on one local address, set up so that the IP headers it produces are
/// known in advance, as the ICRC demands (roce.md 2.1, 2.5, 2.6). The owner of a RoCE device owns
/// it. One thread at a time may send and one may receive; any thread may close it.
public final class UdpSocket implements AutoCloseable {
    /// What is asked for of each socket buffer. The default holds about 25 packets of 4 KiB.
    public static final int BUFFER_BYTES = 4 << 20;

    static final int SOL_SOCKET = 1;
    static final int SO_SNDBUF = 7;
    static final int SO_RCVBUF = 8;
    static final int SO_NO_CHECK = 11;
    static final int SO_TIMESTAMPING = 37;
    static final int SO_RXQ_OVFL = 40;
    static final int IPPROTO_IP = 0;
    static final int IP_TOS = 1;
    static final int IP_MTU_DISCOVER = 10;
    static final int IP_RECVTOS = 13;
    static final int IP_PMTUDISC_DO = 2;
    static final int IP_PMTUDISC_PROBE = 3;
    static final int IPPROTO_IPV6 = 41;
    static final int IPV6_MTU_DISCOVER = 23;
    static final int IPV6_V6ONLY = 26;
    static final int IPV6_RECVTCLASS = 66;
    static final int IPV6_TCLASS = 67;
    static final int SOL_UDP = 17;
    static final int UDP_NO_CHECK6_RX = 102;
    static final int UDP_SEGMENT = 103;
    static final int UDP_GRO = 104;

    static final int SOCK_DGRAM = 2;
    static final int SOCK_NONBLOCK = 0x800;
    static final int SOCK_CLOEXEC = 0x80000;
    static final int MSG_ERRQUEUE = 0x2000;

    private final InetAddress local;
    private final int port;
    private final Descriptor descriptor;
    private final MemorySegment sendErrno = Libc.errnoIn(Arena.ofAuto());
    private final MemorySegment receiveErrno = Libc.errnoIn(Arena.ofAuto());
    private final boolean segmenting;

    private UdpSocket(InetAddress local, int port, Descriptor descriptor) {
        this.local = local;
        this.port = port;
        this.descriptor = descriptor;
        this.segmenting = option(SOL_UDP, UDP_SEGMENT) >= 0;
    }

    /// Opens a socket on `local`, which must be one address of this machine.
    ///
    /// ROCE-SOCK-1: a socket has one address of this machine, and is never connected.
    ///
    /// @param port 4791 for RoCE, or 0 for any free one
    /// @throws FabricException if the address cannot be had; the message says why and what to do
    public static UdpSocket bind(InetAddress local, int port) {
        if (local.isAnyLocalAddress() || local.isMulticastAddress()) {
            throw new FabricException(
                    Reason.ADDRESS_NOT_AVAILABLE,
                    "cannot bind RoCE to "
                            + local.getHostAddress()
                            + ": the source address goes into every packet's checksum, so name one"
                            + " address of this machine, for example 127.0.0.2");
        }
        String description = "UDP socket " + hostAndPort(local, port);
        int domain = local instanceof Inet4Address ? SockaddrIn.AF_INET : SockaddrIn6.AF_INET6;
        int fd = Libc.socket(domain, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (fd < 0) {
            throw new FabricException(
                    Reason.SYSTEM, "cannot open " + description + ": " + Errno.name(-fd));
        }
        Descriptor descriptor = new Descriptor(fd, description);
        try {
            configure(fd, local instanceof Inet4Address, description);
            int bound = bindTo(fd, local, port);
            return new UdpSocket(local, bound, descriptor);
        } catch (RuntimeException e) {
            descriptor.close();
            throw e;
        }
    }

    public InetAddress localAddress() {
        return local;
    }

    public int localPort() {
        return port;
    }

    public boolean isIpv4() {
        return local instanceof Inet4Address;
    }

    /// What the kernel granted of [#BUFFER_BYTES] for received packets, in its own accounting:
    /// twice what was asked for, at most twice `net.core.rmem_max`, and a 4 KiB packet costs about
    /// 8.5 KB.
    ///
    /// ROCE-SOCK-6: what was granted of the 4 MiB or more that is asked for is told.
    public int receiveBufferBytes() {
        return option(SOL_SOCKET, SO_RCVBUF);
    }

    /// The same for packets on their way out.
    public int sendBufferBytes() {
        return option(SOL_SOCKET, SO_SNDBUF);
    }

    /// Whether the kernel knows `UDP_SEGMENT` (Linux 4.18): many packets in one `sendmsg`.
    boolean isSegmenting() {
        return segmenting;
    }

    /// Sends what the `msghdr` describes, without waiting: the bytes taken, or −errno.
    int send(MemorySegment message) {
        int fd = descriptor.acquire();
        try {
            return Libc.sendmsg(sendErrno, fd, message, 0);
        } finally {
            descriptor.release();
        }
    }

    /// Receives one message, without waiting: its bytes, or −errno.
    int receive(MemorySegment message) {
        int fd = descriptor.acquire();
        try {
            return Libc.recvmsg(receiveErrno, fd, message, 0);
        } finally {
            descriptor.release();
        }
    }

    /// Receives one message of the error queue, where transmitted frames come back.
    int receiveError(MemorySegment message) {
        int fd = descriptor.acquire();
        try {
            return Libc.recvmsg(receiveErrno, fd, message, MSG_ERRQUEUE);
        } finally {
            descriptor.release();
        }
    }

    /// The value of an integer option, or −errno.
    int option(int level, int name) {
        int fd = descriptor.acquire();
        try {
            return Libc.getsockopt(fd, level, name);
        } finally {
            descriptor.release();
        }
    }

    /// Sets an integer option: 0, or −errno.
    int option(int level, int name, int value) {
        int fd = descriptor.acquire();
        try {
            return Libc.setsockopt(fd, level, name, value);
        } finally {
            descriptor.release();
        }
    }

    Descriptor descriptor() {
        return descriptor;
    }

    /// Gives the address up. A thread that is inside a call finishes it first; later calls throw.
    @Override
    public void close() {
        descriptor.close();
    }

    @Override
    public String toString() {
        return descriptor.toString();
    }

    private static void configure(int fd, boolean ipv4, String description) {
        if (ipv4) {
            fixIdentification(fd, IPPROTO_IP, IP_MTU_DISCOVER, description);
            Libc.setsockopt(fd, IPPROTO_IP, IP_RECVTOS, 1);
        } else {
            require(fd, IPPROTO_IPV6, IPV6_V6ONLY, description);
            fixIdentification(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, description);
            /// ROCE-SOCK-4: the kernel's own RoCE sends UDP checksum 0, which IPv6 sockets drop.
            require(fd, SOL_UDP, UDP_NO_CHECK6_RX, description);
            Libc.setsockopt(fd, IPPROTO_IPV6, IPV6_RECVTCLASS, 1);
        }
        Libc.setsockopt(fd, SOL_SOCKET, SO_RCVBUF, BUFFER_BYTES);
        Libc.setsockopt(fd, SOL_SOCKET, SO_SNDBUF, BUFFER_BYTES);
        Libc.setsockopt(fd, SOL_SOCKET, SO_RXQ_OVFL, 1);
        // ENOPROTOOPT before Linux 5.0: packets then come one by one.
        Libc.setsockopt(fd, SOL_UDP, UDP_GRO, 1);
    }

    /// roce.md 2.1: an unconnected socket with PROBE or DO sends DF = 1 and ID = 0 and never
    /// fragments. PROBE is preferred: it ignores forged "fragmentation needed" messages.
    ///
    /// ROCE-SOCK-2: packets are never fragmented, so that their ID is known.
    static void fixIdentification(int fd, int level, int option, String description) {
        if (Libc.setsockopt(fd, level, option, IP_PMTUDISC_PROBE) == 0) {
            return;
        }
        int result = Libc.setsockopt(fd, level, option, IP_PMTUDISC_DO);
        if (result < 0) {
            throw refused(description, "the path MTU discovery mode", -result);
        }
    }

    static void require(int fd, int level, int option, String description) {
        int result = Libc.setsockopt(fd, level, option, 1);
        if (result < 0) {
            throw refused(description, "option " + level + "/" + option, -result);
        }
    }

    private static FabricException refused(String description, String what, int errno) {
        return new FabricException(
                Reason.SYSTEM,
                description + ": the kernel refused " + what + ": " + Errno.name(errno));
    }

    /// Binds and returns the port.
    private static int bindTo(int fd, InetAddress local, int port) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = socketAddress(arena, local, port);
            int result = Libc.bind(fd, name);
            if (result < 0) {
                throw bindFailure(local, port, -result);
            }
            Libc.getsockname(fd, name);
            return local instanceof Inet4Address ? SockaddrIn.port(name) : SockaddrIn6.port(name);
        }
    }

    /// `local` and `port` as the kernel wants them.
    static MemorySegment socketAddress(Arena arena, InetAddress local, int port) {
        ByteBuffer bytes = ByteBuffer.wrap(local.getAddress());
        if (local instanceof Inet4Address) {
            MemorySegment name = arena.allocate(SockaddrIn.SIZE, Long.BYTES);
            SockaddrIn.set(name, bytes.getInt(), port);
            return name;
        }
        MemorySegment name = arena.allocate(SockaddrIn6.SIZE, Long.BYTES);
        SockaddrIn6.set(name, bytes.getLong(), bytes.getLong(), scope(local), port);
        return name;
    }

    /// A `msghdr` with `bytes` as its only span, and neither address nor control data.
    static MemorySegment message(Arena arena, MemorySegment bytes) {
        MemorySegment span = arena.allocate(Iovec.SIZE, Long.BYTES);
        Iovec.set(span, 0, bytes.address(), bytes.byteSize());
        MemorySegment message = arena.allocate(Msghdr.SIZE, Long.BYTES);
        Msghdr.iovecs(message, span.address(), 1);
        return message;
    }

    /// The interface that a link-local address belongs to; 0 for others.
    static int scope(InetAddress address) {
        return address instanceof Inet6Address v6 ? v6.getScopeId() : 0;
    }

    private static FabricException bindFailure(InetAddress local, int port, int errno) {
        String what = "cannot bind " + hostAndPort(local, port) + ": " + Errno.name(errno);
        return switch (errno) {
            case Errno.EADDRINUSE ->
                    new FabricException(Reason.ADDRESS_IN_USE, what + inUse(local, port));
            case Errno.EADDRNOTAVAIL ->
                    new FabricException(
                            Reason.ADDRESS_NOT_AVAILABLE,
                            what
                                    + ". It is not an address of this machine; `ip address` lists"
                                    + " those that are");
            default -> new FabricException(Reason.SYSTEM, what);
        };
    }

    /// ROCE-SOCK-5: who may hold the port.
    private static String inUse(InetAddress local, int port) {
        String remedy =
                local.isLoopbackAddress() && local instanceof Inet4Address
                        ? "take another loopback address, any 127.x.y.z will do"
                        : "give each process an address of its own";
        return ", held by "
                + PortHolder.of(local, port)
                + ". If that is another Outboard process, "
                + remedy
                + "; if it is the kernel's own RoCE, rdma_rxe, remove its device with `rdma link"
                + " del`, or unload the module";
    }

    private static String hostAndPort(InetAddress address, int port) {
        String host = address.getHostAddress();
        return (address instanceof Inet4Address ? host : "[" + host + "]") + ":" + port;
    }
}
