package dev.outboard.dpa.trace;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// A message in the encoding of Protocol Buffers, which is filled field by field.
final class ProtoMessage {
    static final int VARINT = 0;
    static final int FIXED64 = 1;
    static final int LENGTH_DELIMITED = 2;
    static final int TYPE_BITS = 3;
    static final int GROUP_BITS = 7;
    static final int GROUP_MASK = 0x7F;
    static final int MORE = 0x80;

    private byte[] bytes = new byte[128];
    private int length;

    /// Empties it.
    ProtoMessage clear() {
        length = 0;
        return this;
    }

    /// An integer, an enumeration or a truth value.
    ProtoMessage number(int field, long value) {
        tag(field, VARINT);
        varint(value);
        return this;
    }

    ProtoMessage fixed64(int field, long value) {
        tag(field, FIXED64);
        for (int i = 0; i < Long.BYTES; i++) {
            put((int) (value >>> (Byte.SIZE * i)));
        }
        return this;
    }

    ProtoMessage text(int field, String value) {
        byte[] encoded = value.getBytes(StandardCharsets.UTF_8);
        return field(field, encoded, encoded.length);
    }

    ProtoMessage message(int field, ProtoMessage inner) {
        return field(field, inner.bytes, inner.length);
    }

    /// What remains in a buffer.
    ProtoMessage bytes(int field, ByteBuffer value) {
        byte[] copied = new byte[value.remaining()];
        value.get(copied);
        return field(field, copied, copied.length);
    }

    private ProtoMessage field(int field, byte[] from, int count) {
        tag(field, LENGTH_DELIMITED);
        varint(count);
        reserve(count);
        System.arraycopy(from, 0, bytes, length, count);
        length += count;
        return this;
    }

    private void tag(int field, int type) {
        varint(((long) field << TYPE_BITS) | type);
    }

    private void varint(long value) {
        long left = value;
        while ((left & ~GROUP_MASK) != 0) {
            put((int) (left & GROUP_MASK) | MORE);
            left >>>= GROUP_BITS;
        }
        put((int) left);
    }

    private void put(int one) {
        reserve(1);
        bytes[length++] = (byte) one;
    }

    private void reserve(int count) {
        if (bytes.length - length < count) {
            bytes = Arrays.copyOf(bytes, 2 * (length + count));
        }
    }

    void writeTo(OutputStream out) throws IOException {
        out.write(bytes, 0, length);
    }
}
