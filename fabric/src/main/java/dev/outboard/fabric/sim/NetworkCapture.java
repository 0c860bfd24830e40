package dev.outboard.fabric.sim;

import dev.outboard.fabric.pcapng.LinkType;
import dev.outboard.fabric.pcapng.PcapngFile;
import dev.outboard.fabric.pcapng.PcapngWriter.Direction;
import dev.outboard.fabric.roce.wire.EthernetFrame;
import dev.outboard.fabric.roce.wire.IpHeaders;
import java.lang.foreign.MemorySegment;

/// Writes what devices of a simulated network send into a capture of Ethernet frames, RoCE packets
/// in the headers that they would have there. One thread at a time.
final class NetworkCapture {
    private final PcapngFile file;
    private final MemorySegment scratch = MemorySegment.ofArray(new byte[EthernetFrame.MAX_LENGTH]);

    /// A capture of the network called `network` into `file`, which is created or emptied.
    NetworkCapture(java.nio.file.Path file, String network) {
        this.file = PcapngFile.create(file, "sim://" + network, LinkType.ETHERNET);
    }

    void packet(long nowNanos, dev.outboard.fabric.roce.wire.Path path, byte[] bytes) {
        EthernetFrame.writeHeader(
                scratch,
                SwitchPorts.addressOf(path.destination()),
                SwitchPorts.addressOf(path.source()),
                path);
        int length =
                IpHeaders.wrap(
                        scratch,
                        EthernetFrame.HEADER_LENGTH,
                        path,
                        0,
                        MemorySegment.ofArray(bytes),
                        0,
                        bytes.length);
        write(nowNanos, scratch, EthernetFrame.HEADER_LENGTH + length);
    }

    void frame(long nowNanos, byte[] frame) {
        write(nowNanos, MemorySegment.ofArray(frame), frame.length);
    }

    private void write(long nowNanos, MemorySegment frame, int length) {
        file.packet(nowNanos, Direction.UNKNOWN, frame, 0, length, "");
    }

    void close() {
        file.close();
    }
}
