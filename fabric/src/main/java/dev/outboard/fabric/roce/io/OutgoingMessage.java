package dev.outboard.fabric.roce.io;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.outboard.fabric.linux.Cmsghdr;
import dev.outboard.fabric.linux.Iovec;
import dev.outboard.fabric.linux.Msghdr;
import dev.outboard.fabric.linux.SockaddrIn;
import dev.outboard.fabric.linux.SockaddrIn6;
import dev.outboard.fabric.roce.wire.Path;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// The arguments of one `sendmsg`: where to, which spans of memory, and what the kernel is told
/// besides. Belongs to one [Transmitter]; built once, refilled for every call.
final class OutgoingMessage {
    /// `UIO_MAXIOV`: the most spans that the kernel takes.
    static final int MAX_SPANS = 1024;

    /// The control buffer is the traffic class, then the segment size; a message uses a part of it.
    private static final long TRAFFIC_CLASS = 0;

    private static final long SEGMENT_SIZE = Cmsghdr.space(Integer.BYTES);
    private static final long CONTROL_BYTES = SEGMENT_SIZE + Cmsghdr.space(Short.BYTES);

    private final UdpSocket socket;
    private final int scope;
    private final MemorySegment header;
    private final MemorySegment spans;
    private final MemorySegment control;
    private final MemorySegment name;

    private @Nullable Path path;
    private int count;

    /// Where the last span ends, so that a span that follows it directly lengthens it.
    private long end;

    OutgoingMessage(UdpSocket socket) {
        Arena arena = Arena.ofAuto();
        this.socket = socket;
        this.scope = UdpSocket.scope(socket.localAddress());
        this.header = arena.allocate(Msghdr.SIZE, Long.BYTES);
        this.spans = arena.allocate(MAX_SPANS * Iovec.SIZE, Long.BYTES);
        this.control = arena.allocate(CONTROL_BYTES, Long.BYTES);
        this.name = arena.allocate(SockaddrIn6.SIZE, Long.BYTES);
        int level = socket.isIpv4() ? UdpSocket.IPPROTO_IP : UdpSocket.IPPROTO_IPV6;
        int type = socket.isIpv4() ? UdpSocket.IP_TOS : UdpSocket.IPV6_TCLASS;
        Cmsghdr.set(control, TRAFFIC_CLASS, level, type, Integer.BYTES);
        Cmsghdr.set(control, SEGMENT_SIZE, UdpSocket.SOL_UDP, UdpSocket.UDP_SEGMENT, Short.BYTES);
        int nameLength = (int) (socket.isIpv4() ? SockaddrIn.SIZE : SockaddrIn6.SIZE);
        Msghdr.name(header, name.address(), nameLength);
    }

    /// Where the next [#send] goes, and with which traffic class.
    void to(Path path) {
        if (path == this.path) {
            return;
        }
        assert path.sourcePort() == socket.localPort() : path + " does not start at " + socket;
        this.path = path;
        if (socket.isIpv4()) {
            SockaddrIn.set(name, (int) path.destination().low(), Path.DESTINATION_PORT);
        } else {
            SockaddrIn6.set(
                    name,
                    path.destination().high(),
                    path.destination().low(),
                    scope,
                    Path.DESTINATION_PORT);
        }
        control.set(JAVA_INT, TRAFFIC_CLASS + Cmsghdr.DATA, path.trafficClass());
    }

    void clear() {
        count = 0;
        end = 0;
    }

    boolean hasRoom(int spanCount) {
        return count + spanCount <= MAX_SPANS;
    }

    void add(long address, long length) {
        if (address == end && count > 0) {
            Iovec.lengthen(spans, count - 1, length);
        } else {
            Iovec.set(spans, count, address, length);
            count++;
        }
        end = address + length;
    }

    int count() {
        return count;
    }

    long address(int index) {
        return Iovec.base(spans, index);
    }

    long length(int index) {
        return Iovec.length(spans, index);
    }

    /// Sends the spans as one datagram, or as datagrams of `segmentBytes` each, the last one
    /// shorter perhaps, if that is not 0. The bytes taken, or −errno.
    int send(int segmentBytes) {
        control(segmentBytes);
        Msghdr.iovecs(header, spans.address(), count);
        return socket.send(header);
    }

    /// Sends one contiguous span, and forgets all others.
    int send(long address, long length) {
        clear();
        add(address, length);
        return send(0);
    }

    private void control(int segmentBytes) {
        boolean marked = path != null && path.trafficClass() != 0;
        long start = marked ? TRAFFIC_CLASS : SEGMENT_SIZE;
        long stop = segmentBytes != 0 ? CONTROL_BYTES : SEGMENT_SIZE;
        control.set(JAVA_SHORT, SEGMENT_SIZE + Cmsghdr.DATA, (short) segmentBytes);
        Msghdr.control(header, control.address() + start, stop - start);
    }
}
