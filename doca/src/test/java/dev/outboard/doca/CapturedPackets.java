package dev.outboard.doca;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/// The packets of a capture that a RoCE device wrote, read without the code that made them: each
/// field as the bytes that stood there. IPv4 only.
public final class CapturedPackets {
    private static final int ENHANCED_PACKET = 6;
    private static final int BLOCK_HEADER = 8;
    private static final int PACKET_HEADER = 20;
    private static final int LENGTH_AT = 12;

    /// What an IPv4 header without options and a UDP header take.
    private static final int IP_AND_UDP = 28;

    private static final int OPCODE_AT = 0;
    private static final int DESTINATION_AT = 5;
    private static final int PSN_AT = 9;
    private static final int BASE_HEADER = 12;

    /// One packet, from its base transport header on.
    ///
    /// @param comesFrom the source's IPv4 address, as an int
    public record Captured(int comesFrom, byte[] bytes) {
        /// The opcode, with the transport's three bits.
        public int opcode() {
            return bytes[OPCODE_AT] & 0xFF;
        }

        /// The queue pair it goes to, as six digits.
        public String destination() {
            return hex(DESTINATION_AT - BASE_HEADER, 3);
        }

        /// Its sequence number, as six digits.
        public String psn() {
            return hex(PSN_AT - BASE_HEADER, 3);
        }

        /// `length` bytes from `offset` after the base transport header, two digits each.
        public String hex(int offset, int length) {
            return HexFormat.of()
                    .formatHex(bytes, BASE_HEADER + offset, BASE_HEADER + offset + length);
        }
    }

    private CapturedPackets() {}

    /// The packets that came from `source`, whose device is closed or still writes.
    public static List<Captured> from(byte[] source, Path capture) throws IOException {
        int address = ByteBuffer.wrap(source).getInt();
        return read(capture).stream().filter(each -> each.comesFrom == address).toList();
    }

    /// The first of `packets` with `opcode`.
    public static Captured first(List<Captured> packets, int opcode) {
        return packets.stream()
                .filter(each -> each.opcode() == opcode)
                .findFirst()
                .orElseThrow(() ->
                        new AssertionError(
                                "no packet with opcode %02x among %s"
                                        .formatted(opcode, opcodes(packets))));
    }

    private static List<String> opcodes(List<Captured> packets) {
        return packets.stream().map(each -> "%02x".formatted(each.opcode())).toList();
    }

    private static List<Captured> read(Path capture) throws IOException {
        List<Captured> packets = new ArrayList<>();
        ByteBuffer blocks = ByteBuffer.wrap(Files.readAllBytes(capture)); // big-endian, as written
        while (blocks.remaining() >= BLOCK_HEADER + Integer.BYTES) {
            int start = blocks.position();
            int type = blocks.getInt();
            int length = blocks.getInt();
            if (type == ENHANCED_PACKET) {
                int captured = blocks.getInt(start + BLOCK_HEADER + LENGTH_AT);
                int at = start + BLOCK_HEADER + PACKET_HEADER;
                byte[] bytes = new byte[captured - IP_AND_UDP];
                blocks.get(at + IP_AND_UDP, bytes);
                packets.add(new Captured(blocks.getInt(at + 12), bytes));
            }
            blocks.position(start + length);
        }
        return packets;
    }
}
