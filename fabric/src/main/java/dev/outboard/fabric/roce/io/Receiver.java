package dev.outboard.fabric.roce.io;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.outboard.fabric.linux.Cmsghdr;
import dev.outboard.fabric.linux.Iovec;
import dev.outboard.fabric.linux.Msghdr;
import dev.outboard.fabric.linux.SockaddrIn;
import dev.outboard.fabric.linux.SockaddrIn6;
import dev.outboard.fabric.memory.Payload;
import dev.outboard.fabric.roce.transport.PacketHandler;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.IcrcVerifier;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.PacketFlaw;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.roce.wire.Sender;
import dev.outboard.fabric.roce.wire.Senders;
import dev.outboard.fabric.verbs.Counters;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// Receives the packets of one socket: many per system call where the kernel coalesces them
/// (`UDP_GRO`), each checked on its own before anybody sees it. Belongs to the engine of the
/// socket, which lets one thread at a time use it; the counters may be read by any. It has nothing
/// to close.
///
/// ```java
/// int delivered = receiver.receive(16, System.nanoTime(), protocol::packet);
/// ```
public final class Receiver {
    /// More than the largest UDP payload, coalesced or not.
    private static final int BUFFER_BYTES = 1 << 16;

    private static final int CONTROL_BYTES = 256;

    private final UdpSocket socket;
    private final boolean ipv4;
    private final IcrcVerifier verifier;
    private final Senders senders;
    private final Packet packet = new Packet();
    private final Counters<PacketFlaw> flaws = new Counters<>(PacketFlaw.class);

    private final Arena arena = Arena.ofAuto();
    private final MemorySegment message = arena.allocate(Msghdr.SIZE, Long.BYTES);
    private final MemorySegment name = arena.allocate(SockaddrIn6.SIZE, Long.BYTES);
    private final MemorySegment control = arena.allocate(CONTROL_BYTES, Long.BYTES);
    private final MemorySegment span = arena.allocate(Iovec.SIZE, Long.BYTES);
    private final Payload buffer = Payload.of(arena.allocate(BUFFER_BYTES, Long.BYTES));

    // What the control data of the latest message says.
    private int segmentBytes;
    private int trafficClass;

    // The call that is going on.
    private PacketHandler handler = (packet, nowNanos) -> {};
    private long nowNanos;
    private int delivered;

    private @Nullable FrameSink tap;
    private long deadlineNanos = Long.MAX_VALUE;

    private final Counters<ReceiveCounter> counters = new Counters<>(ReceiveCounter.class);
    private int lastOverflows;

    /// A receiver of what arrives at `socket`, as strict about the ICRC as `policy`.
    public Receiver(UdpSocket socket, IcrcVerifier.Policy policy) {
        this.socket = socket;
        this.ipv4 = socket.isIpv4();
        this.verifier = new IcrcVerifier(policy);
        this.senders = new Senders(Gid.of(socket.localAddress()));
        MemorySegment memory = buffer.segment();
        Iovec.set(span, 0, memory.address(), memory.byteSize());
        Msghdr.iovecs(message, span.address(), 1);
    }

    /// Makes every packet pass through `stages` on its way in, before its ICRC is checked. They get
    /// the stage that checks and delivers, and return the one to start with.
    public void tap(UnaryOperator<FrameSink> stages) {
        tap = stages.apply(new Delivering());
    }

    /// Delivers what has arrived, without waiting. To find out that nothing is left takes another
    /// system call; so whoever expects one packet, and wants to answer it at once, asks for one.
    ///
    /// @param maxMessages stop after so many system calls; each may bring up to 64 KiB of packets
    /// @return the packets that the handler was given
    public int receive(int maxMessages, long nowNanos, PacketHandler handler) {
        this.handler = handler;
        this.nowNanos = nowNanos;
        this.delivered = 0;
        for (int i = 0; i < maxMessages; i++) {
            if (!receiveMessage()) {
                break;
            }
        }
        if (tap != null) {
            deadlineNanos = tap.advance(nowNanos);
        }
        return delivered;
    }

    /// When [#receive] has to be called again although nothing arrives: a stage holds packets back.
    public long deadlineNanos() {
        return deadlineNanos;
    }

    public Counters<ReceiveCounter> counters() {
        return counters;
    }

    /// What arrived and was no packet.
    public Counters<PacketFlaw> flaws() {
        return flaws;
    }

    /// The ICRC check, for its counters.
    public IcrcVerifier verifier() {
        return verifier;
    }

    private boolean receiveMessage() {
        Msghdr.name(message, name.address(), (int) name.byteSize());
        Msghdr.control(message, control.address(), CONTROL_BYTES);
        int length = socket.receive(message);
        if (length < 0) {
            // EAGAIN: nothing there. All else would be about one datagram, which is gone.
            return false;
        }
        counters.increment(ReceiveCounter.CALLS);
        counters.add(ReceiveCounter.BYTES, length);
        segmentBytes = 0;
        trafficClass = 0;
        readControl();
        split(sender(), length);
        return true;
    }

    private Sender sender() {
        return ipv4
                ? senders.ofIpv4(SockaddrIn.address(name), SockaddrIn.port(name))
                : senders.of(
                        SockaddrIn6.addressHigh(name),
                        SockaddrIn6.addressLow(name),
                        SockaddrIn6.port(name));
    }

    private void readControl() {
        long end = Msghdr.controlLength(message);
        for (long at = 0; at + Cmsghdr.SIZE <= end; at = Cmsghdr.next(control, at)) {
            readControl(Cmsghdr.level(control, at), Cmsghdr.type(control, at), at + Cmsghdr.DATA);
        }
    }

    private void readControl(int level, int type, long data) {
        if (level == UdpSocket.SOL_UDP && type == UdpSocket.UDP_GRO) {
            segmentBytes = control.get(JAVA_INT, data);
        } else if (level == UdpSocket.IPPROTO_IP && type == UdpSocket.IP_TOS) {
            trafficClass = Byte.toUnsignedInt(control.get(JAVA_BYTE, data));
        } else if (level == UdpSocket.IPPROTO_IPV6 && type == UdpSocket.IPV6_TCLASS) {
            trafficClass = control.get(JAVA_INT, data);
        } else if (level == UdpSocket.SOL_SOCKET && type == UdpSocket.SO_RXQ_OVFL) {
            countOverflows(control.get(JAVA_INT, data));
        }
    }

    /// The kernel's counter has 32 bits and wraps.
    ///
    /// ROCE-SOCK-6: what did not fit the receive buffer is counted.
    private void countOverflows(int total) {
        counters.add(ReceiveCounter.OVERFLOWS, Integer.toUnsignedLong(total - lastOverflows));
        lastOverflows = total;
    }

    private void split(Sender sender, int length) {
        // A message that was not coalesced says nothing, or 0, about segments. An empty datagram
        // is one, too.
        int step = segmentBytes > 0 ? segmentBytes : Math.max(length, 1);
        for (int at = 0; at == 0 || at < length; at += step) {
            counters.increment(ReceiveCounter.PACKETS);
            frame(sender, at, Math.min(step, length - at));
        }
    }

    private void frame(Sender sender, int at, int length) {
        if (tap == null) {
            deliver(sender, trafficClass, buffer, at, length);
        } else {
            tap.frame(sender.path(), trafficClass, buffer.segment(), at, length);
        }
    }

    private void deliver(Sender sender, int trafficClass, Payload bytes, long at, int length) {
        PacketFlaw flaw = packet.wrap(bytes.segment(), at, length);
        if (flaw != null) {
            flaws.increment(flaw);
            return;
        }
        int identification = verifier.verify(sender, bytes, at, length);
        if (identification == IcrcVerifier.BAD) {
            flaws.increment(PacketFlaw.BAD_ICRC);
            return;
        }
        Path path = sender.path();
        Gid source = path.source();
        packet.from(source.high(), source.low(), path.sourcePort(), trafficClass);
        packet.identified(identification, path.isDontFragment());
        delivered++;
        handler.packet(packet, nowNanos);
    }

    /// The last stage behind a tap.
    private final class Delivering implements FrameSink {
        @Override
        public void frame(Path path, int trafficClass, MemorySegment bytes, long at, int length) {
            Gid source = path.source();
            Sender sender = senders.of(source.high(), source.low(), path.sourcePort());
            deliver(sender, trafficClass, Payload.of(bytes), at, length);
        }

        @Override
        public long advance(long nowNanos) {
            return Long.MAX_VALUE;
        }
    }
}
