package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.memory.Payload;
import dev.outboard.fabric.roce.transport.PacketSink;
import dev.outboard.fabric.roce.wire.Bth;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import java.lang.foreign.Arena;

/// Tells the peer of a queue pair that the network marks its packets: the notification point of
/// DCQCN (roce.md 6). At most one congestion notification packet per queue pair and interval.
final class NotificationPoint {
    static final long INTERVAL_NANOS = 50_000;

    /// The low two bits of the traffic class.
    static final int ECN_MASK = 3;

    static final int ECN_CAPABLE = 2;
    static final int CONGESTION_EXPERIENCED = 3;

    /// Differentiated services code point 48, as hardware sends notifications.
    static final int TRAFFIC_CLASS = 48 << 2;

    /// Behind the BTH come 16 bytes of zeros.
    static final int PAYLOAD_BYTES = 16;

    private static final Payload ZEROS = Payload.of(Arena.global().allocate(PAYLOAD_BYTES));

    private final Path path;
    private boolean isOwed;
    private boolean hasSent;
    private long sentNanos;

    /// @param path the way to the peer; notifications take it with a traffic class of their own
    NotificationPoint(Path path) {
        this.path = new Path(path.source(), path.destination(), path.sourcePort(), TRAFFIC_CLASS);
    }

    /// A packet arrived. Only those with data count: nobody slows acknowledgements down.
    ///
    /// ROCE-CC-2: packets that are marked cost at most one notification per interval.
    void received(Packet packet, long now) {
        boolean isMarked =
                packet.payloadLength() > 0
                        && (packet.trafficClass() & ECN_MASK) == CONGESTION_EXPERIENCED;
        if (isMarked && (!hasSent || now - sentNanos >= INTERVAL_NANOS)) {
            hasSent = true;
            sentNanos = now;
            isOwed = true;
        }
    }

    /// `path` with packets marked as ECN-capable.
    static Path capable(Path path) {
        int trafficClass = (path.trafficClass() & ~ECN_MASK) | ECN_CAPABLE;
        return new Path(path.source(), path.destination(), path.sourcePort(), trafficClass);
    }

    /// Whether [#send] has something to send.
    boolean isOwed() {
        return isOwed;
    }

    void send(PacketSink sink, int destinationQpn) {
        isOwed = false;
        long at = sink.headerOffset();
        Bth.write(
                sink.headerMemory(),
                at,
                Opcode.CNP,
                false,
                0,
                Bth.DEFAULT_PARTITION_KEY,
                destinationQpn,
                false,
                0);
        Bth.putCongestion(sink.headerMemory(), at, false, true);
        sink.append(ZEROS, 0, PAYLOAD_BYTES);
        sink.finish(path, Opcode.CNP.headerLength());
    }
}
