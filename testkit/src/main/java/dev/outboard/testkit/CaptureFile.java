package dev.outboard.testkit;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Reads a pcapng file with nanosecond timestamps, as far as tests look, and writes one as other
/// programs do: little-endian, without options.
public final class CaptureFile {
    private static final int SECTION_HEADER = 0x0a0d0d0a;
    private static final int INTERFACE_DESCRIPTION = 1;
    private static final int ENHANCED_PACKET = 6;
    private static final int BYTE_ORDER_MAGIC = 0x1a2b3c4d;
    private static final int COMMENT = 1;
    private static final int FLAGS = 2;

    private CaptureFile() {}

    /// One packet of the file.
    ///
    /// @param direction 1 for inbound, 2 for outbound
    public record Entry(long epochNanos, int direction, String comment, byte[] packet) {
        /// Of an IPv4 packet.
        public int identification() {
            return Short.toUnsignedInt(ByteBuffer.wrap(packet).getShort(4));
        }

        /// Of an IPv4 packet.
        public int psn() {
            return ByteBuffer.wrap(packet).getInt(20 + 8 + 8) & 0xFFFFFF;
        }

        public int trafficClass() {
            return Byte.toUnsignedInt(packet[1]);
        }
    }

    public static List<Entry> read(Path file) {
        ByteBuffer bytes;
        try {
            bytes = ByteBuffer.wrap(Files.readAllBytes(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (bytes.hasRemaining() && bytes.getInt(8) != BYTE_ORDER_MAGIC) {
            bytes.order(ByteOrder.LITTLE_ENDIAN);
        }
        List<Entry> entries = new ArrayList<>();
        while (bytes.hasRemaining()) {
            int start = bytes.position();
            int type = bytes.getInt();
            int length = bytes.getInt();
            if (type == ENHANCED_PACKET) {
                entries.add(entry(bytes.slice(start + 8, length - 12).order(bytes.order())));
            }
            bytes.position(start + length);
        }
        return entries;
    }

    /// Writes packets without times.
    ///
    /// @param linkType what the packets are, such as 1 for Ethernet frames
    public static void write(Path file, int linkType, List<byte[]> packets) {
        try (OutputStream out = Files.newOutputStream(file)) {
            byte[] section = new byte[16];
            words(section).putInt(BYTE_ORDER_MAGIC).putShort((short) 1).putLong(8, -1);
            block(out, SECTION_HEADER, section);
            byte[] description = new byte[8];
            words(description).putShort((short) linkType);
            block(out, INTERFACE_DESCRIPTION, description);
            for (byte[] packet : packets) {
                byte[] body = new byte[20 + (packet.length + 3 & ~3)];
                words(body).putInt(12, packet.length).putInt(16, packet.length).put(20, packet);
                block(out, ENHANCED_PACKET, body);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ByteBuffer words(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static void block(OutputStream out, int type, byte[] body) throws IOException {
        byte[] block = new byte[body.length + 12];
        words(block).putInt(type).putInt(block.length).put(body).putInt(block.length);
        out.write(block);
    }

    private static Entry entry(ByteBuffer body) {
        long time = (long) body.getInt(4) << 32 | Integer.toUnsignedLong(body.getInt(8));
        byte[] packet = new byte[body.getInt(12)];
        body.position(20).get(packet);
        body.position((body.position() + 3) & ~3);
        int direction = 0;
        String comment = "";
        while (body.hasRemaining()) {
            int code = body.getShort();
            byte[] value = new byte[Short.toUnsignedInt(body.getShort())];
            body.get(value);
            body.position((body.position() + 3) & ~3);
            if (code == FLAGS) {
                direction = ByteBuffer.wrap(value).order(body.order()).getInt();
            } else if (code == COMMENT) {
                comment = new String(value, StandardCharsets.UTF_8);
            }
        }
        return new Entry(time, direction, comment, packet);
    }
}
