package dev.outboard.fabric.roce.explain;

import dev.outboard.fabric.pcapng.LinkType;
import dev.outboard.fabric.roce.wire.BigEndian;
import dev.outboard.fabric.roce.wire.Bth;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Icrc;
import dev.outboard.fabric.roce.wire.IpHeaders;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Path;
import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.Map;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/// Finds the RoCE packet in what was captured, below whatever headers there are, and counts what is
/// none. One thread.
final class Decoder {
    private static final int ETHERNET_ADDRESSES = 12;
    private static final int TYPE_IPV4 = 0x0800;
    private static final int TYPE_IPV6 = 0x86DD;
    private static final int TYPE_VLAN = 0x8100;
    private static final int TYPE_PROVIDER_VLAN = 0x88A8;
    private static final int VLAN_TAG = 4;
    private static final int MAX_VLAN_TAGS = 4;
    private static final int LOOPBACK_HEADER = 4;

    private static final int NO_LINK = -2;
    private static final int NO_IP = -1;

    private static final int PROTOCOL_UDP = 17;
    private static final int IPV4_FRAGMENT_MASK = 0x3FFF;
    private static final int IPV4_PLAIN = 0x45;
    private static final int ECN_MASK = 3;
    private static final int ECN_CONGESTION = 3;

    /// A path MTU of 4096 and the longest headers.
    private static final int MAX_PACKET = 4096 + 64;

    private final Map<Skip, Long> skipped = new EnumMap<>(Skip.class);
    private final Map<Gid, Host> hosts;
    private final CRC32 crc = new CRC32();

    /// @param hosts where packets with a right checksum and with a wrong one are counted
    Decoder(Map<Gid, Host> hosts) {
        this.hosts = hosts;
    }

    /// How many packets were not looked at.
    Map<Skip, Long> skipped() {
        return skipped;
    }

    /// The RoCE packet in `bytes`, which start as `linkType` says; null if there is none, or one
    /// that its receiver drops.
    @Nullable RocePacket decode(long nanos, int linkType, byte[] bytes) {
        MemorySegment frame = MemorySegment.ofArray(bytes);
        int ip = ipOffset(linkType, frame);
        if (ip < 0) {
            return ip == NO_LINK ? skip(Skip.OTHER_LINK_TYPE) : skip(Skip.NOT_ROCE);
        }
        return ip < bytes.length ? ipPacket(nanos, frame.asSlice(ip)) : skip(Skip.NOT_ROCE);
    }

    private @Nullable RocePacket skip(Skip why) {
        skipped.merge(why, 1L, Long::sum);
        return null;
    }

    /// Where the IP header is; [#NO_IP] if there is none, [#NO_LINK] for an unknown link type.
    private static int ipOffset(int linkType, MemorySegment frame) {
        for (LinkType type : LinkType.values()) {
            if (type.number() == linkType) {
                return switch (type) {
                    case ETHERNET -> behindType(frame, ETHERNET_ADDRESSES, ETHERNET_ADDRESSES + 2);
                    case LINUX_COOKED -> behindType(frame, 14, 16);
                    case LINUX_COOKED_2 -> behindType(frame, 0, 20);
                    case RAW_IP, IPV4, IPV6 -> 0;
                    case NULL_LOOPBACK, LOOPBACK -> LOOPBACK_HEADER;
                };
            }
        }
        return NO_LINK;
    }

    /// @param at where the EtherType is
    /// @param behind where what it tells of begins
    private static int behindType(MemorySegment frame, int at, int behind) {
        int typeAt = at;
        int dataAt = behind;
        for (int tags = 0; tags <= MAX_VLAN_TAGS && dataAt + 2 <= frame.byteSize(); tags++) {
            int type = BigEndian.get16(frame, typeAt);
            if (type == TYPE_IPV4 || type == TYPE_IPV6) {
                return dataAt;
            }
            if (type != TYPE_VLAN && type != TYPE_PROVIDER_VLAN) {
                return NO_IP;
            }
            typeAt = dataAt + 2;
            dataAt += VLAN_TAG;
        }
        return NO_IP;
    }

    private @Nullable RocePacket ipPacket(long nanos, MemorySegment ip) {
        int version = BigEndian.get8(ip, 0) >>> 4;
        if (version == 4 && ip.byteSize() >= IpHeaders.IPV4_LENGTH) {
            int headerLength = (BigEndian.get8(ip, 0) & 0xF) * Integer.BYTES;
            boolean isUdp = BigEndian.get8(ip, 9) == PROTOCOL_UDP;
            if (isUdp && (BigEndian.get16(ip, 6) & IPV4_FRAGMENT_MASK) != 0) {
                return skip(Skip.FRAGMENT);
            }
            return isUdp && headerLength >= IpHeaders.IPV4_LENGTH
                    ? udpPacket(nanos, ip, headerLength)
                    : skip(Skip.NOT_ROCE);
        }
        boolean isIpv6Udp =
                version == 6
                        && ip.byteSize() >= IpHeaders.IPV6_LENGTH
                        && BigEndian.get8(ip, 6) == PROTOCOL_UDP;
        return isIpv6Udp ? udpPacket(nanos, ip, IpHeaders.IPV6_LENGTH) : skip(Skip.NOT_ROCE);
    }

    private @Nullable RocePacket udpPacket(long nanos, MemorySegment ip, int udp) {
        int start = udp + IpHeaders.UDP_LENGTH;
        if (ip.byteSize() < start || BigEndian.get16(ip, udp + 2) != Path.DESTINATION_PORT) {
            return skip(Skip.NOT_ROCE);
        }
        int length = BigEndian.get16(ip, udp + 4) - IpHeaders.UDP_LENGTH;
        long captured = Math.min(length, ip.byteSize() - start);
        if (length > MAX_PACKET || length < 0) {
            return skip(length < 0 ? Skip.OTHER_TRANSPORT : Skip.UNSEGMENTED);
        }
        if (captured < Bth.LENGTH) {
            return skip(Skip.CUT_SHORT);
        }
        MemorySegment bytes = ip.asSlice(start, captured);
        Opcode opcode = Opcode.of(Bth.opcode(bytes, 0));
        int payload =
                opcode == null
                        ? -1
                        : length - opcode.headerLength() - Icrc.LENGTH - Bth.padCount(bytes, 0);
        if (opcode == null || payload < 0) {
            return skip(Skip.OTHER_TRANSPORT);
        }
        if (captured < opcode.headerLength()) {
            return skip(Skip.CUT_SHORT);
        }
        Gid source = IpHeaders.source(ip, 0);
        if (captured == length && hasChecksum(udp, ip) && !isIntact(ip, udp, length, source)) {
            return skip(Skip.WRONG_CHECKSUM);
        }
        boolean isMarked = (IpHeaders.trafficClass(ip, 0) & ECN_MASK) == ECN_CONGESTION;
        return new RocePacket(
                nanos, source, destination(ip, udp), isMarked, opcode, payload, bytes);
    }

    private static Gid destination(MemorySegment ip, int udp) {
        return udp == IpHeaders.IPV6_LENGTH && IpHeaders.isIpv6(ip, 0)
                ? new Gid(BigEndian.get64(ip, 24), BigEndian.get64(ip, 32))
                : Gid.ofIpv4(BigEndian.get32(ip, 16));
    }

    /// What the checksum covers of options of IPv4 nobody has said.
    private static boolean hasChecksum(int udp, MemorySegment ip) {
        return IpHeaders.isIpv6(ip, 0) || (BigEndian.get8(ip, 0) == IPV4_PLAIN && udp > 0);
    }

    /// The receiver of a packet has to be told, or to find out, what the IPv4 header was
    /// ([dev.outboard.fabric.roce.wire.IcrcVerifier]); here it is, with every field that a router
    /// may change, to be taken for ones.
    private boolean isIntact(MemorySegment ip, int udp, int length, Gid source) {
        int headers = udp + IpHeaders.UDP_LENGTH + Bth.LENGTH;
        byte[] masked = new byte[8 + headers];
        MemorySegment copy = MemorySegment.ofArray(masked);
        copy.asSlice(0, 8).fill((byte) 0xFF);
        MemorySegment.copy(ip, 0, copy, 8, headers);
        if (udp == IpHeaders.IPV6_LENGTH) {
            BigEndian.put32(copy, 8, BigEndian.get32(copy, 8) | 0x0FFF_FFFF);
            BigEndian.put8(copy, 8 + 7, 0xFF);
        } else {
            BigEndian.put8(copy, 8 + 1, 0xFF);
            BigEndian.put8(copy, 8 + 8, 0xFF);
            BigEndian.put16(copy, 8 + 10, 0xFFFF);
        }
        BigEndian.put16(copy, 8L + udp + 6, 0xFFFF);
        BigEndian.put8(copy, 8L + udp + IpHeaders.UDP_LENGTH + 4, 0xFF);
        crc.reset();
        crc.update(masked);
        int rest = length - Bth.LENGTH - Icrc.LENGTH;
        crc.update(ip.asSlice(headers, rest).asByteBuffer());
        boolean isIntact = (int) crc.getValue() == Icrc.get(ip, (long) headers + rest);
        Host host = hosts.computeIfAbsent(source, _ -> new Host());
        if (isIntact) {
            host.intact++;
        } else {
            host.damaged++;
        }
        return isIntact;
    }
}
