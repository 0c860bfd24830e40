package dev.outboard.fabric.roce.wire.cm;

import dev.outboard.fabric.roce.wire.Gid;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;

/// An immutable run of bytes inside a CM message: private data, additional reject information.
public final class Octets {
    /// No bytes.
    public static final Octets EMPTY = new Octets(new byte[0]);

    private final byte[] bytes;

    private Octets(byte[] bytes) {
        this.bytes = bytes;
    }

    /// A copy of `bytes`.
    public static Octets of(byte... bytes) {
        return new Octets(bytes.clone());
    }

    /// The eight bytes of `value`, big-endian.
    public static Octets ofLong(long value) {
        return new Octets(ByteBuffer.allocate(Long.BYTES).putLong(value).array());
    }

    /// The sixteen bytes of `gid`.
    public static Octets ofGid(Gid gid) {
        byte[] bytes = new byte[2 * Long.BYTES];
        Fields.putGid(ByteBuffer.wrap(bytes), 0, gid);
        return new Octets(bytes);
    }

    /// The `length` bytes of `message` from offset `at`.
    static Octets get(ByteBuffer message, int at, int length) {
        byte[] bytes = new byte[length];
        message.get(at, bytes);
        return new Octets(bytes);
    }

    void put(ByteBuffer message, int at) {
        message.put(at, bytes);
    }

    /// These bytes and zeros behind them, `length` in all: fields of CM messages have a fixed size.
    ///
    /// ROCE-CM-13: private data is filled up with zeros; what does not fit is refused.
    ///
    /// @throws IllegalArgumentException if there are more than `length` bytes
    public Octets padded(int length) {
        if (bytes.length > length) {
            throw new IllegalArgumentException(
                    bytes.length + " bytes do not fit; valid: at most " + length);
        }
        return bytes.length == length ? this : new Octets(Arrays.copyOf(bytes, length));
    }

    /// The bytes from offset `from` on.
    public Octets from(int from) {
        return new Octets(Arrays.copyOfRange(bytes, from, bytes.length));
    }

    public int length() {
        return bytes.length;
    }

    /// A copy of the bytes.
    public byte[] toByteArray() {
        return bytes.clone();
    }

    /// A read-only view of the bytes, big-endian.
    public ByteBuffer asByteBuffer() {
        return ByteBuffer.wrap(bytes).asReadOnlyBuffer();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Octets that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /// Hexadecimal, without the zeros at the end: most fields are padded.
    @Override
    public String toString() {
        int end = bytes.length;
        while (end > 0 && bytes[end - 1] == 0) {
            end--;
        }
        return bytes.length + ":" + HexFormat.of().formatHex(bytes, 0, end);
    }
}
