package dev.outboard.fabric.roce.io;

import dev.outboard.fabric.linux.Cmsghdr;
import dev.outboard.fabric.linux.Errno;
import dev.outboard.fabric.linux.Msghdr;
import dev.outboard.fabric.roce.wire.Bth;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.util.concurrent.TimeUnit;

/// Tries out what the sockets of a local address can do, by sending packets to itself, to queue
/// pair 0, which everybody drops. For one thread; whoever opens it closes it. Not for the data
/// path.
public final class SocketProbe implements AutoCloseable {
    /// How packets travel in one system call.
    public enum Batching {
        /// Many are sent, and many arrive, in one call.
        BOTH_WAYS,
        /// Many are sent in one call, and arrive one by one.
        SENDING,
        /// Each takes a call.
        NONE
    }

    private static final int UDP_NO_CHECK6_TX = 101;
    private static final int SEGMENTS = 3;
    private static final int PROBE_BYTES = Packet.MIN_LENGTH;

    /// More than the largest UDP payload.
    private static final int MAX_BYTES = 1 << 16;

    private static final int CONTROL_BYTES = (int) Cmsghdr.space(Short.BYTES);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final UdpSocket socket;
    private final Waiter waiter;
    private final Arena arena = Arena.ofAuto();
    private final MemorySegment packets = arena.allocate(MAX_BYTES, Long.BYTES);
    private final MemorySegment control = arena.allocate(CONTROL_BYTES, Long.BYTES);
    private final MemorySegment incoming =
            UdpSocket.message(arena, arena.allocate(MAX_BYTES, Long.BYTES));

    /// Opens a socket on any free port of `local`.
    ///
    /// @throws dev.outboard.fabric.FabricException if there is no such address here
    public SocketProbe(InetAddress local) {
        this(UdpSocket.bind(local, 0));
    }

    /// A probe with `socket`, which it takes over.
    SocketProbe(UdpSocket socket) {
        this.socket = socket;
        waiter = new Waiter(socket);
        for (int i = 0; i < SEGMENTS; i++) {
            Bth.write(
                    packets,
                    (long) i * PROBE_BYTES,
                    Opcode.SEND_ONLY,
                    false,
                    0,
                    Bth.DEFAULT_PARTITION_KEY,
                    0,
                    false,
                    i);
        }
    }

    /// What the kernel grants for packets that arrive, in bytes of its own accounting.
    public int receiveBufferBytes() {
        return socket.receiveBufferBytes();
    }

    /// The same for packets on their way out.
    public int sendBufferBytes() {
        return socket.sendBufferBytes();
    }

    /// Why peers would drop what is sent here for its ICRC; empty if they would not.
    public String headerProblem() {
        return SelfCheck.problemOf(socket);
    }

    /// Sends several packets in one call and looks how they arrive.
    public Batching batching() {
        Cmsghdr.set(control, 0, UdpSocket.SOL_UDP, UdpSocket.UDP_SEGMENT, Short.BYTES);
        control.set(ValueLayout.JAVA_SHORT, Cmsghdr.DATA, (short) PROBE_BYTES);
        MemorySegment message =
                message(socket.localAddress(), socket.localPort(), SEGMENTS * PROBE_BYTES);
        Msghdr.control(message, control.address(), CONTROL_BYTES);
        int sent = socket.send(message);
        if (sent < 0) {
            return Batching.NONE;
        }
        int first = receive();
        for (int arrived = first; arrived > 0 && arrived < sent; ) {
            int more = receive();
            arrived = more < 0 ? more : arrived + more;
        }
        return first == sent ? Batching.BOTH_WAYS : Batching.SENDING;
    }

    /// Whether an IPv6 packet without UDP checksum arrives, as the kernel's RoCE sends them.
    public boolean takesZeroChecksum() {
        socket.option(UdpSocket.SOL_UDP, UDP_NO_CHECK6_TX, 1);
        int sent = socket.send(message(socket.localAddress(), socket.localPort(), PROBE_BYTES));
        boolean arrived = sent == PROBE_BYTES && receive() == PROBE_BYTES;
        socket.option(UdpSocket.SOL_UDP, UDP_NO_CHECK6_TX, 0);
        return arrived;
    }

    /// Whether the route to `peer` takes UDP payloads of `bytes`, as far as this machine knows. The
    /// sockets of a device ignore what it knows, because anybody can forge the message it is told
    /// by; so this one asks with another mode of path MTU discovery.
    ///
    /// @param bytes at most 65 536
    public boolean fits(InetAddress peer, int bytes) {
        MemorySegment message = message(peer, Path.DESTINATION_PORT, bytes);
        int level = socket.isIpv4() ? UdpSocket.IPPROTO_IP : UdpSocket.IPPROTO_IPV6;
        int option = socket.isIpv4() ? UdpSocket.IP_MTU_DISCOVER : UdpSocket.IPV6_MTU_DISCOVER;
        int before = socket.option(level, option);
        socket.option(level, option, UdpSocket.IP_PMTUDISC_DO);
        int sent = socket.send(message);
        socket.option(level, option, before);
        return sent != -Errno.EMSGSIZE;
    }

    @Override
    public void close() {
        waiter.close();
        socket.close();
    }

    /// A `msghdr` with the first `bytes` of the packets.
    private MemorySegment message(InetAddress to, int port, int bytes) {
        MemorySegment message = UdpSocket.message(arena, packets.asSlice(0, bytes));
        MemorySegment name = UdpSocket.socketAddress(arena, to, port);
        Msghdr.name(message, name.address(), (int) name.byteSize());
        return message;
    }

    /// The length of the next message, or −errno when none came for a second.
    private int receive() {
        int length = socket.receive(incoming);
        if (length < 0) {
            waiter.await(PATIENCE_NANOS);
            length = socket.receive(incoming);
        }
        return length;
    }
}
