package dev.outboard.dpa.flexio;

import dev.outboard.dpa.flexio.FlexioException.Reason;
import dev.outboard.dpa.nic.NicPort;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.pcapng.LinkType;
import dev.outboard.fabric.pcapng.PcapngFile;
import dev.outboard.fabric.pcapng.PcapngReader;
import dev.outboard.fabric.pcapng.PcapngReader.CapturedPacket;
import dev.outboard.fabric.pcapng.PcapngWriter.Direction;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/// DPA-FXQ-12: the wire of a device as a capture in the pcapng format: what leaves the device is
/// written into a file until this is closed, and frames of a file come to a port.
///
/// ```java
/// try (FrameCapture _ = FrameCapture.create(device, out)) {
///     FrameCapture.replay(in, device.port(0));
///     process.call(PacketKernelsStub.awaitAnswers(context, count));
/// }
/// ```
///
/// Frames stand in the file in the order in which they leave, and their times are that order: the
/// first leaves a microsecond after the begin of 1970, each other one a microsecond later. So in
/// turns the same programs, seed and calls write the same file.
public final class FrameCapture implements AutoCloseable {
    private static final long NANOS_BETWEEN_FRAMES = 1000;

    private final DpaDevice device;
    private final PcapngFile file;
    private long nanos;
    private boolean closed;

    private FrameCapture(DpaDevice device, PcapngFile file) {
        this.device = device;
        this.file = file;
    }

    /// Begins a capture of what leaves a device.
    ///
    /// @param path is replaced if it exists
    /// @throws FlexioException if the file cannot be written, or there is a capture of the device
    public static FrameCapture create(DpaDevice device, Path path) {
        FrameCapture capture;
        try {
            capture = new FrameCapture(device, PcapngFile.create(path, "wire", LinkType.ETHERNET));
        } catch (FabricException e) {
            throw FlexioException.refuse(Reason.BAD_ARGUMENT, String.valueOf(e.getMessage()));
        }
        if (!device.network().attach(capture::leave)) {
            capture.file.close();
            throw FlexioException.refuse(
                    Reason.IN_USE, "The device has a capture already: close that first");
        }
        return capture;
    }

    private void leave(MemorySegment frame, int lengthBytes) {
        nanos += NANOS_BETWEEN_FRAMES;
        file.packet(nanos, Direction.OUTBOUND, frame, 0, lengthBytes, "");
    }

    /// Lets the frames of a capture come to a port, one after the other. A frame that is dropped is
    /// counted by the port.
    ///
    /// @return how many frames receive queues have got
    /// @throws FlexioException if the file cannot be read, or has something else than whole frames;
    ///   the frames before that have come
    public static int replay(Path path, NicPort port) {
        int received = 0;
        try (PcapngReader reader = PcapngReader.open(path, 2 * NicPort.MAX_FRAME_BYTES)) {
            CapturedPacket packet;
            while ((packet = reader.next()) != null) {
                check(path, packet);
                received += port.receive(packet.bytes()) ? 1 : 0;
            }
        } catch (FabricException e) {
            throw FlexioException.refuse(Reason.BAD_ARGUMENT, String.valueOf(e.getMessage()));
        }
        return received;
    }

    private static void check(Path path, CapturedPacket packet) {
        if (packet.linkType() != LinkType.ETHERNET.number()) {
            throw FlexioException.refuse(
                    Reason.BAD_ARGUMENT,
                    "The packet at byte %d of %s is of link type %d, not an Ethernet frame (%d)"
                            .formatted(
                                    packet.offset(),
                                    path,
                                    packet.linkType(),
                                    LinkType.ETHERNET.number()));
        }
        if (packet.originalLength() != packet.bytes().length) {
            throw FlexioException.refuse(
                    Reason.BAD_ARGUMENT,
                    "Of the packet at byte %d of %s there are %d of %d bytes"
                            .formatted(
                                    packet.offset(),
                                    path,
                                    packet.bytes().length,
                                    packet.originalLength()));
        }
    }

    /// Ends the capture and completes the file. A second time does nothing.
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            device.network().detach();
            file.close();
        }
    }
}
