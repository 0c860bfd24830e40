package dev.outboard.fabric.contract.roce;

import dev.outboard.fabric.Device;
import dev.outboard.testkit.CaptureFile;
import dev.outboard.testkit.Eventually;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// A device on loopback whose packets are captured, and what they were: bytes in hexadecimal.
final class Wire implements AutoCloseable {
    private static final int INBOUND = 1;
    private static final int OUTBOUND = 2;
    private static final int IP_AND_UDP = 20 + 8;
    private static final int ICRC = 4;

    private final Path capture;
    private final Device device;

    Wire(Path capture) {
        this.capture = capture;
        device = RoceLoopback.capturing(capture);
    }

    Device device() {
        return device;
    }

    /// What was sent, each packet as it was sent first: from the base header to what is before the
    /// ICRC.
    List<String> sent() {
        Set<String> seen = new HashSet<>();
        return packets(OUTBOUND)
                .filter(packet -> seen.add(packet.substring(0, 2) + packet.substring(18, 24)))
                .toList();
    }

    /// What was received, but for repetitions.
    List<String> received() {
        return packets(INBOUND).distinct().toList();
    }

    /// The IPv4 and UDP headers of what was sent.
    List<String> sentHeaders() {
        device.close();
        return CaptureFile.read(capture).stream()
                .filter(entry -> entry.direction() == OUTBOUND)
                .map(entry -> HexFormat.of().formatHex(entry.packet(), 0, IP_AND_UDP))
                .toList();
    }

    /// Waits until so many packets were received.
    void awaitReceived(int count) {
        Eventually.until(() -> device.counters().getOrDefault("received.packets", 0L) >= count);
    }

    private Stream<String> packets(int direction) {
        device.close();
        return CaptureFile.read(capture).stream()
                .filter(entry -> entry.direction() == direction)
                .map(CaptureFile.Entry::packet)
                .map(packet -> HexFormat.of().formatHex(packet, IP_AND_UDP, packet.length - ICRC));
    }

    @Override
    public void close() {
        device.close();
    }
}
