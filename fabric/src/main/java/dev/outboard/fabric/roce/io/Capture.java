package dev.outboard.fabric.roce.io;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.memory.Payload;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.IcrcVerifier;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.PacketFlaw;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.roce.wire.PcapngWriter;
import dev.outboard.fabric.roce.wire.PcapngWriter.Direction;
import dev.outboard.fabric.roce.wire.Sender;
import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
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
    private static final Logger LOGGER = System.getLogger(Capture.class.getName());

    /// What is captured is in the file after this time.
    static final Duration FLUSH_INTERVAL = Duration.ofSeconds(1);

    private static final int BUFFER_BYTES = 1 << 20;

    /// So many flows are remembered before all are forgotten.
    private static final int MAX_FLOWS = 1024;

    private final String name;
    private final InstantSource clock;
    private final PcapngWriter writer;
    private final IcrcVerifier verifier = new IcrcVerifier(IcrcVerifier.Policy.SOLVE);
    private final Packet packet = new Packet();
    private final Map<Flow, Sender> senders = new HashMap<>();

    /// Null when the capture has ended.
    private @Nullable OutputStream file;

    /// Null when the file holds everything.
    private @Nullable Instant pendingSince;

    /// What an IP header tells of a packet. A capture has senders of its own: the receiver's must
    /// not learn a habit twice.
    private record Flow(Gid source, Gid destination, int sourcePort, int trafficClass) {}

    private Capture(String name, InstantSource clock, OutputStream file, String device) {
        this.name = name;
        this.clock = clock;
        this.file = file;
        this.writer = new PcapngWriter(device);
    }

    /// Creates `file`, or empties it.
    ///
    /// @param device the name of the interface in the capture
    /// @throws FabricException if the file cannot be written
    public static Capture open(java.nio.file.Path file, String device, InstantSource clock) {
        try {
            // Not a channel: an interrupt of the thread that writes would close it.
            OutputStream stream = new FileOutputStream(file.toFile());
            Capture capture =
                    new Capture(
                            file.toString(),
                            clock,
                            new BufferedOutputStream(stream, BUFFER_BYTES),
                            device);
            capture.store();
            return capture;
        } catch (IOException e) {
            throw new FabricException(
                    Reason.INVALID_ARGUMENT, "cannot write the capture " + file + ": " + e, e);
        }
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
        OutputStream open = file;
        file = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                giveUp(open, e);
            }
        }
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
        writer.packet(
                epochNanos(now),
                direction,
                sender.path(),
                Math.max(identification, 0),
                bytes,
                0,
                length,
                flaw == null ? "" : "discarded: " + flaw);
        store();
    }

    private static Sender sender(Flow flow) {
        return new Sender(
                new Path(flow.source, flow.destination, flow.sourcePort, flow.trafficClass));
    }

    private static long epochNanos(Instant time) {
        return Duration.between(Instant.EPOCH, time).toNanos();
    }

    private void store() {
        ByteBuffer bytes = writer.drain();
        if (file == null) {
            return;
        }
        if (pendingSince == null) {
            pendingSince = clock.instant();
        }
        try {
            file.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
        } catch (IOException e) {
            giveUp(file, e);
        }
    }

    /// Completes the file if it is time, and returns how long until it is.
    private long flush() {
        if (file == null || pendingSince == null) {
            return Long.MAX_VALUE;
        }
        long left = FLUSH_INTERVAL.minus(Duration.between(pendingSince, clock.instant())).toNanos();
        if (left > 0) {
            return left;
        }
        pendingSince = null;
        try {
            file.flush();
        } catch (IOException e) {
            giveUp(file, e);
        }
        return Long.MAX_VALUE;
    }

    /// The disk is full, most likely.
    private void giveUp(OutputStream broken, IOException cause) {
        file = null;
        try {
            broken.close();
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
        LOGGER.log(Level.WARNING, "the capture {0} ends here: {1}", name, cause.getMessage());
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
            if (file != null) {
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
