package dev.outboard.fabric.sim;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.pcapng.LinkType;
import dev.outboard.fabric.pcapng.PcapngReader;
import dev.outboard.fabric.pcapng.PcapngReader.CapturedPacket;
import dev.outboard.fabric.roce.wire.EthernetFrame;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Puts the frames of a capture onto a network, each at its time. One thread at a time, but for the
/// counts.
final class NetworkReplay {
    private static final Logger LOGGER = System.getLogger(NetworkReplay.class.getName());

    private final Path file;
    private final PcapngReader reader;
    private final long startNanos;
    private final long frames;
    private final Consumer<byte[]> network;
    private volatile long sent;
    private boolean done;
    private @Nullable CapturedPacket next;

    /// The time of the first frame, in the capture.
    private final long firstNanos;

    /// A replay of `file` that begins at `startNanos`; the whole file has been looked at.
    ///
    /// @param network takes the frames
    /// @throws FabricException with INVALID_ARGUMENT if the file is no capture of whole Ethernet
    ///   frames that fit the network; nothing was sent then
    NetworkReplay(Path file, long startNanos, Consumer<byte[]> network) {
        this.file = file;
        this.startNanos = startNanos;
        this.network = network;
        frames = count(file);
        reader = PcapngReader.open(file, EthernetFrame.MAX_LENGTH);
        next = reader.next();
        firstNanos = next == null ? 0 : next.epochNanos();
        if (next == null) {
            close();
        }
    }

    private static long count(Path file) {
        long count = 0;
        try (PcapngReader reader = PcapngReader.open(file, EthernetFrame.MAX_LENGTH)) {
            for (CapturedPacket packet = reader.next(); packet != null; packet = reader.next()) {
                check(file, packet);
                count++;
            }
        }
        return count;
    }

    private static void check(Path file, CapturedPacket packet) {
        int length = packet.bytes().length;
        if (packet.linkType() != LinkType.ETHERNET.number()) {
            throw unfit(
                    file,
                    packet,
                    "interface '%s' has link type %d; valid: %d, Ethernet"
                            .formatted(
                                    packet.interfaceName(),
                                    packet.linkType(),
                                    LinkType.ETHERNET.number()));
        }
        if (length < packet.originalLength()) {
            throw unfit(
                    file,
                    packet,
                    "%d bytes of %d were captured; valid: whole frames"
                            .formatted(length, packet.originalLength()));
        }
        if (length < EthernetFrame.HEADER_LENGTH) {
            throw unfit(
                    file,
                    packet,
                    "a frame has %d bytes; valid: %d to %d"
                            .formatted(
                                    length, EthernetFrame.HEADER_LENGTH, EthernetFrame.MAX_LENGTH));
        }
    }

    private static FabricException unfit(Path file, CapturedPacket packet, String what) {
        return new FabricException(
                Reason.INVALID_ARGUMENT,
                "cannot replay %s, block at byte %d: %s".formatted(file, packet.offset(), what));
    }

    /// Sends what is due.
    ///
    /// @return when there is more to send; [Long#MAX_VALUE] for never
    long send(long nowNanos) {
        while (next != null && due(next) <= nowNanos) {
            byte[] frame = next.bytes();
            advance();
            network.accept(frame);
        }
        return next == null ? Long.MAX_VALUE : due(next);
    }

    /// What is earlier than the first is sent at once, what is out of reach never.
    private long due(CapturedPacket packet) {
        if (packet.epochNanos() <= firstNanos) {
            return startNanos;
        }
        long gap = packet.epochNanos() - firstNanos;
        return gap < 0 || gap > Long.MAX_VALUE - startNanos ? Long.MAX_VALUE : startNanos + gap;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time
    private void advance() {
        sent++;
        try {
            next = reader.next();
            if (next == null) {
                close();
            } else {
                check(file, next);
            }
        } catch (FabricException e) {
            // It was sound a while ago: somebody writes to it.
            LOGGER.log(Level.WARNING, "the replay ends here: {0}", e.getMessage());
            close();
        }
    }

    void close() {
        next = null;
        if (!done) {
            done = true;
            reader.close();
        }
    }

    long frames() {
        return frames;
    }

    long sent() {
        return sent;
    }
}
