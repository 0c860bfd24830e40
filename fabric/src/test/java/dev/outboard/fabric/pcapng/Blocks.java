package dev.outboard.fabric.pcapng;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/// Builds pcapng captures block by block, wrong ones too.
final class Blocks {
    static final int SECTION = 0x0A0D0D0A;
    static final int INTERFACE = 1;
    static final int OBSOLETE = 2;
    static final int SIMPLE = 3;
    static final int ENHANCED = 6;

    private final ByteOrder order;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    Blocks(ByteOrder order) {
        this.order = order;
    }

    /// Whatever the parts say: Integer, Short, Byte, Long, byte[] and their padding.
    Blocks block(int type, Object... parts) {
        byte[] body = body(parts);
        int length = 12 + body.length;
        return raw(body(type, length, body, length));
    }

    Blocks raw(byte[] content) {
        bytes.writeBytes(content);
        return this;
    }

    Blocks section() {
        return block(SECTION, 0x1A2B3C4D, (short) 1, (short) 0, -1L);
    }

    /// @param options as in [#option], the end included
    Blocks describe(int linkType, int snapLength, byte[]... options) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] option : options) {
            all.writeBytes(option);
        }
        return block(INTERFACE, (short) linkType, (short) 0, snapLength, all.toByteArray());
    }

    byte[] option(int code, Object... value) {
        byte[] content = content(value);
        return body((short) code, (short) content.length, content);
    }

    Blocks enhanced(int number, long ticks, byte[] packet) {
        return block(
                ENHANCED,
                number,
                (int) (ticks >>> 32),
                (int) ticks,
                packet.length,
                packet.length,
                packet);
    }

    int size() {
        return bytes.size();
    }

    byte[] bytes() {
        return bytes.toByteArray();
    }

    /// The parts, filled up to a multiple of four.
    private byte[] body(Object... parts) {
        byte[] content = content(parts);
        return Arrays.copyOf(content, (content.length + 3) & ~3);
    }

    private byte[] content(Object... parts) {
        ByteBuffer buffer = ByteBuffer.allocate(1 << 16).order(order);
        for (Object part : parts) {
            switch (part) {
                case Integer value -> buffer.putInt(value);
                case Short value -> buffer.putShort(value);
                case Long value -> buffer.putLong(value);
                case Byte value -> buffer.put(value);
                case byte[] value -> buffer.put(value);
                default -> throw new IllegalArgumentException(part.toString());
            }
        }
        byte[] content = new byte[buffer.position()];
        buffer.flip().get(content);
        return content;
    }
}
