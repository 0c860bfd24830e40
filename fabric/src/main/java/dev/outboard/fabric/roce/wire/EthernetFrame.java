package dev.outboard.fabric.roce.wire;

import dev.outboard.fabric.MacAddress;
import java.lang.foreign.MemorySegment;

/// An Ethernet II frame: destination and source address, EtherType, payload. Lengths count from the
/// destination address to the last byte before the frame check sequence, which is the CRC-32 of
/// them all, its low byte first.
///
/// Source: IEEE 802.3, 3.2 (fields) and 4.4.2 (shortest frame); 802.1Q, 9 (tag).
public final class EthernetFrame {
    public static final int HEADER_LENGTH = 14;

    /// What is shorter is filled up with zeros.
    public static final int MIN_LENGTH = 60;

    /// A jumbo frame: 9,000 bytes behind header and VLAN tag.
    public static final int MAX_LENGTH = 9000 + HEADER_LENGTH + 4;

    /// Of the frame check sequence.
    public static final int CHECK_LENGTH = 4;

    private static final int SOURCE = 6;
    private static final int ETHER_TYPE = 12;
    private static final int TYPE_IPV4 = 0x0800;
    private static final int TYPE_IPV6 = 0x86DD;

    private EthernetFrame() {}

    public static int etherType(MemorySegment frame) {
        return BigEndian.get16(frame, ETHER_TYPE);
    }

    /// Writes the header before an IP packet on `path`.
    public static void writeHeader(
            MemorySegment frame, MacAddress destination, MacAddress source, Path path) {
        destination.writeTo(frame, 0);
        source.writeTo(frame, SOURCE);
        BigEndian.put16(frame, ETHER_TYPE, path.isIpv4() ? TYPE_IPV4 : TYPE_IPV6);
    }

    /// How many bytes of UDP payload `frame` carries to the RoCE port at `destination`, behind IP
    /// and UDP headers as all senders of RoCE write them; -1 if it carries something else.
    public static int rocePayloadLength(MemorySegment frame, int length, Gid destination) {
        boolean isIpv4 = destination.isIpv4();
        int headers = IpHeaders.length(isIpv4);
        if (etherType(frame) != (isIpv4 ? TYPE_IPV4 : TYPE_IPV6)
                || length < HEADER_LENGTH + headers
                || !IpHeaders.isToRocePort(frame, HEADER_LENGTH, destination)) {
            return -1;
        }
        int payload = IpHeaders.udpPayloadLength(frame, HEADER_LENGTH, isIpv4);
        return payload <= length - HEADER_LENGTH - headers ? payload : -1;
    }
}
