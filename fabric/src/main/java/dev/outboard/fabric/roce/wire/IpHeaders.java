package dev.outboard.fabric.roce.wire;

import java.lang.foreign.MemorySegment;

/// The IP and UDP headers before a packet, as Linux writes them: captures show them, the receiver
/// of a datagram gets them with it, and the ICRC covers most of them.
///
/// Source: spec/roce.md, 1.2 (fields), 1.5 (UD receives) and 1.6 (ICRC).
public final class IpHeaders {
    /// Of an IPv4 header, which never has options.
    public static final int IPV4_LENGTH = 20;

    public static final int IPV6_LENGTH = 40;
    public static final int UDP_LENGTH = 8;

    /// The bytes of value 0xFF that the ICRC starts with, in place of an InfiniBand header.
    static final int ICRC_PREFIX = 8;

    static final int IPV4_TOTAL_LENGTH = 2;
    static final int IPV4_IDENTIFICATION = 4;
    static final int IPV6_PAYLOAD_LENGTH = 4;
    static final int UDP_DATAGRAM_LENGTH = 4;

    private static final int IPV4_TRAFFIC_CLASS = 1;
    private static final int IPV4_FLAGS = 6;
    private static final int IPV4_TIME_TO_LIVE = 8;
    private static final int IPV4_PROTOCOL = 9;
    private static final int IPV4_CHECKSUM = 10;
    private static final int IPV4_SOURCE = 12;
    private static final int IPV4_DESTINATION = 16;
    private static final int IPV4_VERSION_AND_LENGTH = 0x45;
    private static final int DONT_FRAGMENT = 0x4000;

    /// MF and the offset of a fragment.
    private static final int FRAGMENT_MASK = 0x3FFF;

    private static final int IPV6_NEXT_HEADER = 6;
    private static final int IPV6_HOP_LIMIT = 7;
    private static final int IPV6_SOURCE = 8;
    private static final int IPV6_DESTINATION = 24;
    private static final int IPV6_VERSION = 0x6000_0000;
    private static final int IPV6_TRAFFIC_CLASS_SHIFT = 20;
    private static final int VERSION_SHIFT = 28;
    private static final int TRAFFIC_CLASS_MASK = 0xFF;
    private static final int FLOW_LABEL_MASK = 0xF_FFFF;
    private static final int IPV6_MASKED_FIRST_WORD = 0x6FFF_FFFF;

    private static final int UDP_DESTINATION_PORT = 2;
    private static final int UDP_CHECKSUM = 6;

    private static final int PROTOCOL_UDP = 17;
    private static final int TIME_TO_LIVE = 64;
    private static final int ONES_16 = 0xFFFF;

    private IpHeaders() {}

    /// Bytes of the IP and UDP headers on that path.
    public static int length(Path path) {
        return length(path.isIpv4());
    }

    /// Bytes of the IP and UDP headers of that version.
    public static int length(boolean isIpv4) {
        return ipLength(isIpv4) + UDP_LENGTH;
    }

    /// Writes IP and UDP headers with correct checksums. The UDP payload must stand behind them
    /// already, at `at + length(path)`: the UDP checksum covers it.
    public static void write(
            MemorySegment packet, long at, Path path, int identification, int udpPayloadLength) {
        int udpLength = UDP_LENGTH + udpPayloadLength;
        long udp = at + ipLength(path.isIpv4());
        writeIp(packet, at, path, identification, udpPayloadLength);
        writeUdp(packet, udp, path.sourcePort(), udpLength);
        BigEndian.put16(packet, udp + UDP_CHECKSUM, udpChecksum(packet, udp, udpLength, path));
    }

    /// Writes the packet whose UDP payload are `length` bytes at `from`, with the IP and UDP
    /// headers that it has on that path.
    ///
    /// @return its length
    public static int wrap(
            MemorySegment packet,
            long at,
            Path path,
            int identification,
            MemorySegment udpPayload,
            long from,
            int length) {
        int headers = length(path);
        MemorySegment.copy(udpPayload, from, packet, at + headers, length);
        write(packet, at, path, identification, length);
        return headers + length;
    }

    /// Writes the IP header alone: 20 or 40 bytes.
    public static void writeIp(
            MemorySegment packet, long at, Path path, int identification, int udpPayloadLength) {
        int udpLength = UDP_LENGTH + udpPayloadLength;
        if (path.isIpv4()) {
            writeIpv4(packet, at, path.source().low(), path.destination().low());
            int flags = path.isDontFragment() ? DONT_FRAGMENT : 0;
            completeIpv4(packet, at, path.trafficClass(), udpLength, identification, flags);
        } else {
            Gid from = path.source();
            writeIpv6(packet, at, from.high(), from.low(), path.destination());
            completeIpv6(packet, at, path.trafficClass(), udpLength);
        }
    }

    /// Writes the IP header that `received`, which arrived at `local`, had: 20 or 40 bytes.
    /// Allocates nothing.
    public static void writeReceived(MemorySegment memory, long at, Packet received, Gid local) {
        int udpLength = UDP_LENGTH + received.length();
        if (local.isIpv4()) {
            writeIpv4(memory, at, received.sourceLow(), local.low());
            int flags = received.isDontFragment() ? DONT_FRAGMENT : 0;
            completeIpv4(
                    memory,
                    at,
                    received.trafficClass(),
                    udpLength,
                    received.identification(),
                    flags);
        } else {
            writeIpv6(memory, at, received.sourceHigh(), received.sourceLow(), local);
            completeIpv6(memory, at, received.trafficClass(), udpLength);
        }
    }

    /// Whether an IPv4 header without options, and with a correct checksum, is at `at`.
    public static boolean isIpv4(MemorySegment packet, long at) {
        return BigEndian.get8(packet, at) == IPV4_VERSION_AND_LENGTH
                && checksum(sum(packet, at, IPV4_LENGTH)) == 0;
    }

    /// Whether the header at `at` says that it is one of IPv6.
    public static boolean isIpv6(MemorySegment packet, long at) {
        return BigEndian.get32(packet, at) >>> VERSION_SHIFT == IPV6_VERSION >>> VERSION_SHIFT;
    }

    /// Whether the IP and UDP headers at `at`, of the version of `destination`, lead to the RoCE
    /// port there, in one piece.
    static boolean isToRocePort(MemorySegment packet, long at, Gid destination) {
        boolean leadsThere =
                destination.isIpv4()
                        ? isIpv4(packet, at)
                                && BigEndian.get8(packet, at + IPV4_PROTOCOL) == PROTOCOL_UDP
                                && (BigEndian.get16(packet, at + IPV4_FLAGS) & FRAGMENT_MASK) == 0
                                && BigEndian.get32(packet, at + IPV4_DESTINATION)
                                        == (int) destination.low()
                        : isIpv6(packet, at)
                                && BigEndian.get8(packet, at + IPV6_NEXT_HEADER) == PROTOCOL_UDP
                                && BigEndian.get64(packet, at + IPV6_DESTINATION)
                                        == destination.high()
                                && BigEndian.get64(packet, at + IPV6_DESTINATION + Long.BYTES)
                                        == destination.low();
        long udp = at + ipLength(destination.isIpv4());
        return leadsThere
                && BigEndian.get16(packet, udp + UDP_DESTINATION_PORT) == Path.DESTINATION_PORT;
    }

    /// What the UDP header behind the IP header at `at` says of its payload; negative if less than
    /// nothing.
    static int udpPayloadLength(MemorySegment packet, long at, boolean isIpv4) {
        return BigEndian.get16(packet, at + ipLength(isIpv4) + UDP_DATAGRAM_LENGTH) - UDP_LENGTH;
    }

    /// The UDP source port behind the IP header at `at`, of either version.
    public static int sourcePort(MemorySegment packet, long at) {
        return BigEndian.get16(packet, at + ipLength(!isIpv6(packet, at)));
    }

    /// Of the IP header at `at`, of either version.
    public static Gid source(MemorySegment packet, long at) {
        return isIpv6(packet, at)
                ? new Gid(
                        BigEndian.get64(packet, at + IPV6_SOURCE),
                        BigEndian.get64(packet, at + IPV6_SOURCE + Long.BYTES))
                : Gid.ofIpv4(BigEndian.get32(packet, at + IPV4_SOURCE));
    }

    /// Of the IP header at `at`, of either version.
    public static int trafficClass(MemorySegment packet, long at) {
        return isIpv6(packet, at)
                ? BigEndian.get32(packet, at) >>> IPV6_TRAFFIC_CLASS_SHIFT & TRAFFIC_CLASS_MASK
                : BigEndian.get8(packet, at + IPV4_TRAFFIC_CLASS);
    }

    /// Of the IPv6 header at `at`.
    public static int flowLabel(MemorySegment packet, long at) {
        return BigEndian.get32(packet, at) & FLOW_LABEL_MASK;
    }

    /// What the ICRC covers ahead of the BTH: the prefix and both headers, masked fields all ones
    /// (spec/roce.md, 1.6). Lengths and identification are 0, to be filled in per packet; DF is
    /// set.
    ///
    /// ROCE-ICRC-2: fields that routers may change count as ones, all others as they are.
    static MemorySegment icrcTemplate(Gid source, Gid destination, int sourcePort) {
        int ipLength = ipLength(source.isIpv4());
        byte[] bytes = new byte[ICRC_PREFIX + ipLength + UDP_LENGTH];
        MemorySegment template = MemorySegment.ofArray(bytes);
        template.asSlice(0, ICRC_PREFIX).fill((byte) 0xFF);
        long ip = ICRC_PREFIX;
        if (source.isIpv4()) {
            writeIpv4(template, ip, source.low(), destination.low());
            BigEndian.put8(template, ip + IPV4_TRAFFIC_CLASS, ONES_16);
            BigEndian.put8(template, ip + IPV4_TIME_TO_LIVE, ONES_16);
            BigEndian.put16(template, ip + IPV4_CHECKSUM, ONES_16);
        } else {
            writeIpv6(template, ip, source.high(), source.low(), destination);
            BigEndian.put32(template, ip, IPV6_MASKED_FIRST_WORD);
            BigEndian.put8(template, ip + IPV6_HOP_LIMIT, ONES_16);
        }
        writeUdp(template, ip + ipLength, sourcePort, 0);
        BigEndian.put16(template, ip + ipLength + UDP_CHECKSUM, ONES_16);
        return template;
    }

    private static int ipLength(boolean ipv4) {
        return ipv4 ? IPV4_LENGTH : IPV6_LENGTH;
    }

    /// All but traffic class, total length, identification and checksum, which become 0.
    private static void writeIpv4(
            MemorySegment packet, long at, long sourceLow, long destinationLow) {
        BigEndian.put32(packet, at, IPV4_VERSION_AND_LENGTH << 24);
        BigEndian.put16(packet, at + IPV4_IDENTIFICATION, 0);
        BigEndian.put16(packet, at + IPV4_FLAGS, DONT_FRAGMENT);
        BigEndian.put8(packet, at + IPV4_TIME_TO_LIVE, TIME_TO_LIVE);
        BigEndian.put8(packet, at + IPV4_PROTOCOL, PROTOCOL_UDP);
        BigEndian.put16(packet, at + IPV4_CHECKSUM, 0);
        BigEndian.put32(packet, at + IPV4_SOURCE, (int) sourceLow);
        BigEndian.put32(packet, at + IPV4_DESTINATION, (int) destinationLow);
    }

    private static void completeIpv4(
            MemorySegment packet,
            long at,
            int trafficClass,
            int udpLength,
            int identification,
            int flags) {
        BigEndian.put8(packet, at + IPV4_TRAFFIC_CLASS, trafficClass);
        BigEndian.put16(packet, at + IPV4_TOTAL_LENGTH, IPV4_LENGTH + udpLength);
        BigEndian.put16(packet, at + IPV4_IDENTIFICATION, identification);
        BigEndian.put16(packet, at + IPV4_FLAGS, flags);
        BigEndian.put16(packet, at + IPV4_CHECKSUM, checksum(sum(packet, at, IPV4_LENGTH)));
    }

    /// All but traffic class, flow label and payload length, which become 0.
    private static void writeIpv6(
            MemorySegment packet, long at, long sourceHigh, long sourceLow, Gid destination) {
        BigEndian.put32(packet, at, IPV6_VERSION);
        BigEndian.put16(packet, at + IPV6_PAYLOAD_LENGTH, 0);
        BigEndian.put8(packet, at + IPV6_NEXT_HEADER, PROTOCOL_UDP);
        BigEndian.put8(packet, at + IPV6_HOP_LIMIT, TIME_TO_LIVE);
        BigEndian.put64(packet, at + IPV6_SOURCE, sourceHigh);
        BigEndian.put64(packet, at + IPV6_SOURCE + Long.BYTES, sourceLow);
        BigEndian.put64(packet, at + IPV6_DESTINATION, destination.high());
        BigEndian.put64(packet, at + IPV6_DESTINATION + Long.BYTES, destination.low());
    }

    private static void completeIpv6(
            MemorySegment packet, long at, int trafficClass, int udpLength) {
        BigEndian.put32(packet, at, IPV6_VERSION | trafficClass << IPV6_TRAFFIC_CLASS_SHIFT);
        BigEndian.put16(packet, at + IPV6_PAYLOAD_LENGTH, udpLength);
    }

    private static void writeUdp(MemorySegment packet, long at, int sourcePort, int udpLength) {
        BigEndian.put16(packet, at, sourcePort);
        BigEndian.put16(packet, at + UDP_DESTINATION_PORT, Path.DESTINATION_PORT);
        BigEndian.put16(packet, at + UDP_DATAGRAM_LENGTH, udpLength);
        BigEndian.put16(packet, at + UDP_CHECKSUM, 0);
    }

    /// Of the datagram at `udp`, whose checksum field is 0, and the pseudo-header before it.
    private static int udpChecksum(MemorySegment packet, long udp, int udpLength, Path path) {
        // The addresses end where the UDP header starts, in both IP versions.
        int addresses = path.isIpv4() ? 2 * Integer.BYTES : 4 * Long.BYTES;
        long sum = sum(packet, udp - addresses, addresses) + PROTOCOL_UDP + udpLength;
        int checksum = checksum(sum + sum(packet, udp, udpLength));
        // 0 means "none", so the other zero of ones' complement stands for it.
        return checksum == 0 ? ONES_16 : checksum;
    }

    /// The 16-bit words added up; an odd byte at the end counts as one with a 0 behind it.
    private static long sum(MemorySegment packet, long at, int length) {
        long sum = 0;
        int even = length & ~1;
        for (int i = 0; i < even; i += Short.BYTES) {
            sum += BigEndian.get16(packet, at + i);
        }
        return even == length ? sum : sum + (BigEndian.get8(packet, at + even) << Byte.SIZE);
    }

    /// The internet checksum: the sum folded to 16 bits, complemented.
    private static int checksum(long sum) {
        long folded = sum;
        while (folded >>> Short.SIZE != 0) {
            folded = (folded & ONES_16) + (folded >>> Short.SIZE);
        }
        return (int) ~folded & ONES_16;
    }
}
