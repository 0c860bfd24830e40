package dev.outboard.fabric.roce.wire.cm;

import dev.outboard.fabric.roce.wire.Gid;
import java.nio.ByteBuffer;

/// Unsigned and odd-sized big-endian fields of CM messages.
public final class Fields {
    private static final int MASK_24 = 0xFF_FFFF;

    private Fields() {}

    static int get8(ByteBuffer message, int at) {
        return Byte.toUnsignedInt(message.get(at));
    }

    static void put8(ByteBuffer message, int at, int value) {
        message.put(at, (byte) value);
    }

    static int get16(ByteBuffer message, int at) {
        return Short.toUnsignedInt(message.getShort(at));
    }

    static void put16(ByteBuffer message, int at, int value) {
        message.putShort(at, (short) value);
    }

    static int get24(ByteBuffer message, int at) {
        return get8(message, at) << 16 | get16(message, at + 1);
    }

    static void put24(ByteBuffer message, int at, int value) {
        assert (value & ~MASK_24) == 0 : value;
        put8(message, at, value >>> 16);
        put16(message, at + 1, value);
    }

    static Gid getGid(ByteBuffer message, int at) {
        return new Gid(message.getLong(at), message.getLong(at + 8));
    }

    static void putGid(ByteBuffer message, int at, Gid gid) {
        message.putLong(at, gid.high());
        message.putLong(at + 8, gid.low());
    }

    static int bit(boolean flag, int shift) {
        return flag ? 1 << shift : 0;
    }

    static boolean isSet(int value, int shift) {
        return (value >>> shift & 1) != 0;
    }
}
