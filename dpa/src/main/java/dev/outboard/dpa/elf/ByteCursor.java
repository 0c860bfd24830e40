package dev.outboard.dpa.elf;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/// Reads little-endian numbers from a part of a file, one after the other. Whatever lies outside is
/// an [ElfException] that names the part and the offset in it.
final class ByteCursor {
    private static final int MOST_LEB_BITS = 64;

    private final String name;
    private final ByteBuffer bytes;
    private int position;

    /// The bytes from `from` to `to` of the file.
    ByteCursor(String name, byte[] file, int from, int to) {
        this.name = name;
        bytes = ByteBuffer.wrap(file, from, to - from).slice().order(ByteOrder.LITTLE_ENDIAN);
    }

    private ByteCursor(String name, ByteBuffer bytes) {
        this.name = name;
        this.bytes = bytes;
    }

    /// An empty part, for a section that is not there.
    static ByteCursor empty(String name) {
        return new ByteCursor(name, new byte[0], 0, 0);
    }

    /// The same part, with a position of its own, up to `end`.
    ByteCursor at(long offset, long end) {
        ByteCursor other = new ByteCursor(name, bytes.slice(0, checked(end)).order(bytes.order()));
        other.seek(offset);
        return other;
    }

    ByteCursor at(long offset) {
        return at(offset, length());
    }

    int length() {
        return bytes.limit();
    }

    int position() {
        return position;
    }

    int remaining() {
        return length() - position;
    }

    void seek(long offset) {
        position = checked(offset);
    }

    void skip(long count) {
        if (count < 0 || count > remaining()) {
            throw error(
                    "needs %s bytes more, %d are left"
                            .formatted(Long.toUnsignedString(count), remaining()));
        }
        position += (int) count;
    }

    int u8() {
        return bytes.get(taken(1)) & 0xff;
    }

    int u16() {
        return bytes.getShort(taken(2)) & 0xffff;
    }

    int u24() {
        return u16() | (u8() << 16);
    }

    long u32() {
        return bytes.getInt(taken(4)) & 0xffff_ffffL;
    }

    long u64() {
        return bytes.getLong(taken(8));
    }

    /// A variable-length number without a sign.
    long unsigned() {
        long value = 0;
        for (int shift = 0; ; shift += 7) {
            int next = lebByte(shift);
            value |= (next & 0x7fL) << shift;
            if (next < 0x80) {
                return value;
            }
        }
    }

    /// A variable-length number with a sign.
    long signed() {
        long value = 0;
        for (int shift = 0; ; shift += 7) {
            int next = lebByte(shift);
            value |= (next & 0x7fL) << shift;
            if (next < 0x80) {
                int unused = MOST_LEB_BITS - 7 - shift;
                return unused > 0 ? (value << unused) >> unused : value;
            }
        }
    }

    /// A variable-length number that counts or indexes something in memory.
    int index() {
        long value = unsigned();
        if (value < 0 || value > Integer.MAX_VALUE) {
            throw error(
                    "the number %s is larger than 2147483647"
                            .formatted(Long.toUnsignedString(value)));
        }
        return (int) value;
    }

    /// A text that ends with a zero byte.
    String text() {
        int from = position;
        skipText();
        byte[] text = new byte[position - 1 - from];
        bytes.get(from, text);
        return new String(text, StandardCharsets.UTF_8);
    }

    void skipText() {
        int from = position;
        while (position < length()) {
            if (bytes.get(position++) == 0) {
                return;
            }
        }
        position = from;
        throw error("the text has no end");
    }

    /// An error at this place.
    ElfException error(String problem) {
        return error(position, problem);
    }

    ElfException error(long offset, String problem) {
        return new ElfException("%s at 0x%x: %s".formatted(name, offset, problem));
    }

    private int lebByte(int shift) {
        if (shift >= MOST_LEB_BITS + 6) {
            throw error("the variable-length number has more than 10 bytes");
        }
        return u8();
    }

    private int taken(int count) {
        int at = position;
        skip(count);
        return at;
    }

    private int checked(long offset) {
        if (offset < 0 || offset > length()) {
            throw error(offset, "lies outside: %s has %d bytes".formatted(name, length()));
        }
        return (int) offset;
    }
}
