package dev.outboard.fabric.roce.io;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.memory.Payload;
import dev.outboard.fabric.pcapng.LinkType;
import dev.outboard.fabric.pcapng.PcapngFile;
import dev.outboard.fabric.pcapng.PcapngWriter.Direction;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.IcrcVerifier;
import dev.outboard.fabric.roce.wire.IpHeaders;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.PacketFlaw;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.roce.wire.Sender;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Writes what passes into a pcapng file that Wireshark opens. A plain socket sees no IP header, so
/// the capture makes them up from what is known, with the identification that the ICRC vouches for;
/// a packet that its receiver will discard says so in a comment.
///
/// ```java
/// Capture capture = Capture.open(file, "roce://127.0.0.2", InstantSource.system());
/// transmitter.tap(capture::outbound);
/// receiver.tap(capture::inbound);
/// ```
///
/// Belongs to the engine whose packets it sees: one thread at a time. [#close] completes the file.
/// A file that cannot be written any more ends the capture, not the traffic.
public final class Capture implements AutoCloseable {
    /// What is captured is in the file after this time.
    static final Duration FLUSH_INTERVAL = Duration.ofSeconds(1);

    private static final int MAX_PACKET_BYTES = 1 << 17;

    /// So many flows are remembered before all are forgotten.
    private static final int MAX_FLOWS = 1024;

    private final InstantSource clock;
    private final PcapngFile file;
    private final MemorySegment ipPacket = MemorySegment.ofArray(new byte[MAX_PACKET_BYTES]);
    private final IcrcVerifier verifier = new IcrcVerifier(IcrcVerifier.Policy.SOLVE);
    private final Packet packet = new Packet();
    private final Map<Flow, Sender> senders = new HashMap<>();

    /// Null when the file holds everything.
    private @Nullable Instant pendingSince;

    /// What an IP header tells of a packet. A capture has senders of its own: the receiver's must
    /// not learn a habit twice.
    private record Flow(Gid source, Gid destination, int sourcePort, int trafficClass) {}

    private Capture(InstantSource clock, PcapngFile file) {
        this.clock = clock;
        this.file = file;
    }

    /// Creates `file`, or empties it.
    ///
    /// @param device the name of the interface in the capture
    /// @throws FabricException if the file cannot be written
    public static Capture open(java.nio.file.Path file, String device, InstantSource clock) {
        Capture capture = new Capture(clock, PcapngFile.create(file, device, LinkType.RAW_IP));
        capture.pendingSince = clock.instant();
        return capture;
    }

    /// A stage that captures what is sent on its way to `next`.
    public FrameSink outbound(FrameSink next) {
        return new Tap(Direction.OUTBOUND, next);
    }

    /// A stage that captures what is received on its way to `next`.
    public FrameSink inbound(FrameSink next) {
        return new Tap(Direction.INBOUND, next);
    }

    @Override
    public void close() {
        file.close();
    }

    private void record(Direction direction, Flow flow, MemorySegment bytes) {
        if (senders.size() >= MAX_FLOWS) {
            senders.clear();
        }
        Sender sender = senders.computeIfAbsent(flow, Capture::sender);
        int length = (int) bytes.byteSize();
        PacketFlaw flaw = packet.wrap(bytes, 0, length);
        int identification = verifier.verify(sender, Payload.of(bytes), 0, length);
        if (flaw == null && identification == IcrcVerifier.BAD) {
            flaw = PacketFlaw.BAD_ICRC;
        }
        Instant now = clock.instant();
        int packetLength =
                IpHeaders.wrap(
                        ipPacket, 0, sender.path(), Math.max(identification, 0), bytes, 0, length);
        file.packet(
                epochNanos(now),
                direction,
                ipPacket,
                0,
                packetLength,
                flaw == null ? "" : "discarded: " + flaw);
        if (pendingSince == null) {
            pendingSince = now;
        }
    }

    private static Sender sender(Flow flow) {
        return new Sender(
                new Path(flow.source, flow.destination, flow.sourcePort, flow.trafficClass));
    }

    private static long epochNanos(Instant time) {
        return Duration.between(Instant.EPOCH, time).toNanos();
    }

    /// Completes the file if it is time, and returns how long until it is.
    private long flush() {
        if (!file.isOpen() || pendingSince == null) {
            return Long.MAX_VALUE;
        }
        long left = FLUSH_INTERVAL.minus(Duration.between(pendingSince, clock.instant())).toNanos();
        if (left > 0) {
            return left;
        }
        pendingSince = null;
        file.flush();
        return Long.MAX_VALUE;
    }

    private final class Tap implements FrameSink {
        private final Direction direction;
        private final FrameSink next;

        Tap(Direction direction, FrameSink next) {
            this.direction = direction;
            this.next = next;
        }

        @Override
        public void frame(Path path, int trafficClass, MemorySegment bytes, long at, int length) {
            if (file.isOpen()) {
                Flow flow =
                        new Flow(
                                path.source(), path.destination(), path.sourcePort(), trafficClass);
                record(direction, flow, bytes.asSlice(at, length));
            }
            next.frame(path, trafficClass, bytes, at, length);
        }

        @Override
        public long advance(long nowNanos) {
            long left = flush();
            long due = left == Long.MAX_VALUE ? left : nowNanos + left;
            return Math.min(due, next.advance(nowNanos));
        }
    }
}
