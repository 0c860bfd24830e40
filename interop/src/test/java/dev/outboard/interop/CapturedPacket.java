package dev.outboard.interop;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A RoCEv2 packet as it was on the wire between this machine and the guest.
///
/// @param source the sender's address
/// @param identification of the IPv4 header; 0 for IPv6
/// @param fragmentation flags and offset of the IPv4 header; 0 for IPv6
/// @param udpChecksum as sent, 0 for none
/// @param opcode of the base transport header
record CapturedPacket(
        InetAddress source, int identification, int fragmentation, int udpChecksum, int opcode) {
    private static final int FILE_HEADER = 24;
    private static final int FRAME_HEADER = 16;
    private static final int ETHERNET = 14;
    private static final int IPV4 = 20;
    private static final int IPV6 = 40;
    private static final int UDP_PROTOCOL = 17;
    private static final int ROCE_PORT = 4791;

    /// Those of a capture that are RoCEv2.
    static List<CapturedPacket> read(Path file) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        List<CapturedPacket> packets = new ArrayList<>();
        for (int at = FILE_HEADER; at + FRAME_HEADER <= bytes.limit(); ) {
            int length = bytes.getInt(at + 8);
            at += FRAME_HEADER;
            parse(bytes.slice(at, length), packets);
            at += length;
        }
        return packets;
    }

    private static void parse(ByteBuffer frame, List<CapturedPacket> into) throws IOException {
        int type = Short.toUnsignedInt(frame.getShort(ETHERNET - 2));
        boolean isIpv4 = type == 0x0800 && frame.get(ETHERNET + 9) == UDP_PROTOCOL;
        boolean isIpv6 = type == 0x86DD && frame.get(ETHERNET + 6) == UDP_PROTOCOL;
        int udp = ETHERNET + (isIpv4 ? IPV4 : IPV6);
        if ((isIpv4 || isIpv6) && Short.toUnsignedInt(frame.getShort(udp + 2)) == ROCE_PORT) {
            byte[] source = new byte[isIpv4 ? 4 : 16];
            frame.get(ETHERNET + (isIpv4 ? 12 : 8), source);
            into.add(
                    new CapturedPacket(
                            InetAddress.getByAddress(source),
                            isIpv4 ? Short.toUnsignedInt(frame.getShort(ETHERNET + 4)) : 0,
                            isIpv4 ? Short.toUnsignedInt(frame.getShort(ETHERNET + 6)) : 0,
                            Short.toUnsignedInt(frame.getShort(udp + 6)),
                            Byte.toUnsignedInt(frame.get(udp + 8))));
        }
    }
}
