package dev.outboard.fabric.roce.wire;

import dev.outboard.testkit.Repository;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/// A RoCEv2 packet of a capture in `spec/captures`. Callers may not change its bytes.
///
/// @param frame its number in the capture, from 1 on
/// @param path from its sender to its receiver
/// @param identification of the IPv4 header; 0 in IPv6
/// @param datagram BTH to ICRC
public record CapturedPacket(int frame, Path path, int identification, byte[] datagram) {
    private static final int FILE_HEADER = 24;
    private static final int RECORD_HEADER = 16;
    private static final int ETHERNET_HEADER = 14;
    private static final int UDP_HEADER = 8;
    private static final int UDP = 17;
    private static final int MICROSECONDS = 0xA1B2C3D4;

    /// The names of all captures.
    public static Stream<String> captures() {
        try (Stream<java.nio.file.Path> files = Files.list(directory())) {
            return files
                    .map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".pcap"))
                    .map(name -> name.substring(0, name.length() - ".pcap".length()))
                    .sorted()
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Its RoCEv2 packets, in order.
    public static List<CapturedPacket> of(String capture) {
        ByteBuffer file = ByteBuffer.wrap(read(capture + ".pcap")).order(ByteOrder.LITTLE_ENDIAN);
        if (file.getInt(0) != MICROSECONDS) {
            throw new AssertionError(capture + " is not a little-endian microsecond capture");
        }
        List<CapturedPacket> packets = new ArrayList<>();
        int frame = 0;
        for (int at = FILE_HEADER; at < file.capacity(); frame++) {
            int length = file.getInt(at + 8);
            byte[] ethernet = new byte[length];
            file.get(at + RECORD_HEADER, ethernet);
            byte[] ip = Arrays.copyOfRange(ethernet, ETHERNET_HEADER, length);
            if (isRoce(ip)) {
                packets.add(of(frame + 1, ip));
            }
            at += RECORD_HEADER + length;
        }
        return packets;
    }

    /// What another decoder reads in the packets of a capture: a heading, then a row per packet.
    static List<String[]> decodedByOthers(String capture) {
        return new String(read(capture + ".tsv"), java.nio.charset.StandardCharsets.UTF_8)
                .lines()
                .map(line -> line.split("\t", -1))
                .toList();
    }

    /// A view of a copy, as its receiver gets it.
    public Packet packet() {
        return view(datagram, path);
    }

    /// A view of a copy of `datagram`, which came over `path`.
    public static Packet view(byte[] datagram, Path path) {
        MemorySegment memory = Arena.ofAuto().allocate(datagram.length, Long.BYTES);
        MemorySegment.copy(datagram, 0, memory, ValueLayout.JAVA_BYTE, 0, datagram.length);
        Packet packet = new Packet();
        PacketFlaw reason = packet.wrap(memory, 0, datagram.length);
        if (reason != null) {
            throw new AssertionError("not a packet: " + reason);
        }
        packet.from(path.source().high(), path.source().low(), path.sourcePort(), 0);
        return packet;
    }

    private static boolean isRoce(byte[] ip) {
        boolean ipv4 = ip[0] == 0x45;
        int protocol = ip[ipv4 ? 9 : 6];
        return (ipv4 || ip[0] >> 4 == 6)
                && protocol == UDP
                && ByteBuffer.wrap(ip).getShort(ipLength(ip) + 2) == Path.DESTINATION_PORT;
    }

    private static int ipLength(byte[] ip) {
        return ip[0] == 0x45 ? 20 : 40;
    }

    private static CapturedPacket of(int frame, byte[] ip) {
        ByteBuffer header = ByteBuffer.wrap(ip);
        int udp = ipLength(ip);
        int sourcePort = Short.toUnsignedInt(header.getShort(udp));
        int udpLength = Short.toUnsignedInt(header.getShort(udp + 4));
        byte[] datagram = Arrays.copyOfRange(ip, udp + UDP_HEADER, udp + udpLength);
        boolean ipv4 = udp == 20;
        Path path =
                ipv4
                        ? new Path(
                                Gid.ofIpv4(header.getInt(12)),
                                Gid.ofIpv4(header.getInt(16)),
                                sourcePort,
                                0)
                        : new Path(
                                new Gid(header.getLong(8), header.getLong(16)),
                                new Gid(header.getLong(24), header.getLong(32)),
                                sourcePort,
                                0);
        int identification = ipv4 ? Short.toUnsignedInt(header.getShort(4)) : 0;
        return new CapturedPacket(frame, path, identification, datagram);
    }

    private static java.nio.file.Path directory() {
        return Repository.root().resolve("spec/captures");
    }

    private static byte[] read(String file) {
        try {
            return Files.readAllBytes(directory().resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String toString() {
        return "frame " + frame + ", " + datagram.length + " bytes on " + path;
    }
}
