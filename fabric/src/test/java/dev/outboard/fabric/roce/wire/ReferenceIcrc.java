package dev.outboard.fabric.roce.wire;

import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;

/// The ICRC as spec/roce.md, 1.6 words it, of a whole packet from its IP header on: the yardstick
/// for the code that never sees that header.
final class ReferenceIcrc {
    private static final int UDP_LENGTH = 8;

    private ReferenceIcrc() {}

    /// The last four bytes, where the packet's own ICRC is, do not count.
    static int of(int ipLength, byte[] packet) {
        byte[] masked = Arrays.copyOf(packet, packet.length - 4);
        for (int bit = 0; bit < masked.length * 8; bit++) {
            if (isMasked(ipLength, bit)) {
                masked[bit / 8] |= (byte) (1 << bit % 8);
            }
        }
        byte[] ones = new byte[8];
        Arrays.fill(ones, (byte) 0xFF);
        var crc = new CRC32();
        crc.update(ones);
        crc.update(masked);
        return (int) crc.getValue();
    }

    /// Whether a router may change that bit; bit 0 is the least significant one of the first byte.
    static boolean isMasked(int ipLength, int bit) {
        int at = bit / 8;
        boolean udpChecksum = at == ipLength + 6 || at == ipLength + 7;
        boolean congestion = at == ipLength + UDP_LENGTH + 4;
        boolean ip =
                ipLength == 20
                        ? List.of(1, 8, 10, 11).contains(at)
                        : List.of(1, 2, 3, 7).contains(at) || bit < 4;
        return ip || udpChecksum || congestion;
    }

    /// The packet with its ICRC made right.
    static byte[] completed(int ipLength, byte[] packet) {
        byte[] completed = packet.clone();
        int icrc = of(ipLength, packet);
        for (int i = 0; i < 4; i++) {
            completed[packet.length - 4 + i] = (byte) (icrc >> (8 * i));
        }
        return completed;
    }
}
