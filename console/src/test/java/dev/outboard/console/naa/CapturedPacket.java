package dev.outboard.console.naa;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;

/// One packet of a capture, from the IP header to the ICRC, read without any code of the product.
///
/// @param nanos when it was captured, since the epoch
/// @param bytes IPv4 without options, UDP, InfiniBand transport
record CapturedPacket(long nanos, byte[] bytes) {
    private static final int BYTE_ORDER_MAGIC = 0x1a2b3c4d;
    private static final int ENHANCED_PACKET_BLOCK = 6;
    private static final int IP_BYTES = 20;
    private static final int BTH = IP_BYTES + 8;
    private static final int DATAGRAM_HEADERS = 12 + 8;
    private static final int UD_SEND_ONLY = 0x64;

    CapturedPacket {
        if (bytes[0] != 0x45) {
            throw new IllegalArgumentException("not IPv4 without options: " + bytes[0]);
        }
    }

    /// All packets of a pcapng file, whose blocks have the byte order of its first one.
    static List<CapturedPacket> readAll(Path file) throws IOException {
        ByteBuffer blocks = ByteBuffer.wrap(Files.readAllBytes(file));
        if (blocks.getInt(8) != BYTE_ORDER_MAGIC) {
            blocks.order(ByteOrder.LITTLE_ENDIAN);
        }
        List<CapturedPacket> packets = new ArrayList<>();
        while (blocks.hasRemaining()) {
            int start = blocks.position();
            if (blocks.getInt(start) == ENHANCED_PACKET_BLOCK) {
                byte[] bytes = new byte[blocks.getInt(start + 20)];
                blocks.get(start + 28, bytes);
                long high = blocks.getInt(start + 12) & 0xffff_ffffL;
                long low = blocks.getInt(start + 16) & 0xffff_ffffL;
                packets.add(new CapturedPacket(high << 32 | low, bytes));
            }
            blocks.position(start + blocks.getInt(start + 4));
        }
        return packets;
    }

    String source() {
        try {
            return InetAddress.getByAddress(Arrays.copyOfRange(bytes, 12, 16)).getHostAddress();
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    int opcode() {
        return bytes[BTH] & 0xff;
    }

    boolean isSolicited() {
        return (bytes[BTH + 1] & 0x80) != 0;
    }

    int destinationQueuePair() {
        return ByteBuffer.wrap(bytes).getInt(BTH + 4) & 0xffffff;
    }

    int psn() {
        return ByteBuffer.wrap(bytes).getInt(BTH + 8) & 0xffffff;
    }

    /// Whether it is a datagram of the connection management.
    boolean isManagement() {
        return opcode() == UD_SEND_ONLY && destinationQueuePair() == 1;
    }

    /// Which one, for example 0x10 for REQ.
    int managementAttribute() {
        return ByteBuffer.wrap(bytes).getShort(BTH + DATAGRAM_HEADERS + 16);
    }

    /// Recomputes the invariant CRC: CRC-32 over 64 bits of ones and the packet, in which all
    /// fields that routers may change count as ones.
    boolean hasRightIcrc() {
        byte[] masked = bytes.clone();
        int[] variant = {1, 8, 10, 11, IP_BYTES + 6, IP_BYTES + 7, BTH + 4};
        for (int at : variant) {
            masked[at] = (byte) 0xff;
        }
        CRC32 crc = new CRC32();
        byte[] ones = new byte[8];
        Arrays.fill(ones, (byte) 0xff);
        crc.update(ones);
        crc.update(masked, 0, masked.length - 4);
        int sent = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(bytes.length - 4);
        return (int) crc.getValue() == sent;
    }
}
