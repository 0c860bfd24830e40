package dev.outboard.doca.blob;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/// What one process exports for another.
///
/// DCORE-MMAP-14: an export is opaque bytes that the application carries there by any means.
///
/// A blob says what it is, in which version, and is damaged detectably; it does not prove where it
/// comes from. All fields are big-endian:
///
/// ```text
/// 0  magic "OBDX"     8  bytes of the body
/// 4  version          12 the body
/// 6  kind             …  CRC-32C of everything before
/// ```
public final class Blob {
    private static final int MAGIC = 0x4F424458;
    private static final short VERSION = 3;
    private static final int HEADER_BYTES = 12;
    private static final int CHECKSUM_BYTES = 4;

    /// What a blob describes.
    public enum Kind {
        /// Memory that a peer may use.
        MMAP,
        /// Where to connect to.
        CONNECTION,
        /// A sync event that a peer may update.
        SYNC_EVENT
    }

    private Blob() {}

    /// A blob of `kind` around `body`.
    public static byte[] encode(Kind kind, byte[] body) {
        ByteBuffer blob = ByteBuffer.allocate(HEADER_BYTES + body.length + CHECKSUM_BYTES);
        blob.putInt(MAGIC).putShort(VERSION).putShort((short) kind.ordinal());
        blob.putInt(body.length).put(body);
        blob.putInt(checksum(blob.array(), blob.position()));
        return blob.array();
    }

    /// The body of `blob`, which must be whole and of `kind`.
    ///
    /// @throws IllegalArgumentException naming what is wrong with it
    public static ByteBuffer decode(Kind kind, byte[] blob) {
        if (blob.length < HEADER_BYTES + CHECKSUM_BYTES) {
            throw bad("has " + blob.length + " bytes; it was cut");
        }
        ByteBuffer fields = ByteBuffer.wrap(blob);
        if (fields.getInt() != MAGIC) {
            throw bad("does not start as an export of Outboard does");
        }
        short version = fields.getShort();
        if (version != VERSION) {
            throw bad("has version " + version + "; this side understands " + VERSION);
        }
        short kindNumber = fields.getShort();
        int bodyBytes = fields.getInt();
        int carried = blob.length - HEADER_BYTES - CHECKSUM_BYTES;
        if (bodyBytes != carried) {
            throw bad(
                    "announces "
                            + bodyBytes
                            + " bytes and carries "
                            + carried
                            + "; it was cut or extended");
        }
        if (fields.getInt(HEADER_BYTES + bodyBytes) != checksum(blob, HEADER_BYTES + bodyBytes)) {
            throw bad("has a wrong checksum: it was damaged");
        }
        if (kindNumber != kind.ordinal()) {
            throw bad("describes " + name(kindNumber) + " instead of " + kind);
        }
        return fields.slice(HEADER_BYTES, bodyBytes).asReadOnlyBuffer();
    }

    /// The address of a device that `body` ends with, after `fixed` bytes of other fields.
    ///
    /// @throws IllegalArgumentException if what follows them is none
    public static InetAddress hostAt(int fixed, ByteBuffer body) {
        if (body.remaining() < fixed) {
            throw bad("has a body of %d bytes, too few".formatted(body.remaining()));
        }
        byte[] raw = new byte[body.remaining() - fixed];
        body.get(body.position() + fixed, raw);
        try {
            return InetAddress.getByAddress(raw);
        } catch (UnknownHostException e) {
            throw bad(
                    "has an address of %d bytes for a device; valid: 4 or 16"
                            .formatted(raw.length));
        }
    }

    private static int checksum(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }

    private static String name(int kind) {
        return kind >= 0 && kind < Kind.values().length
                ? Kind.values()[kind].name()
                : "the unknown kind " + kind;
    }

    private static IllegalArgumentException bad(String what) {
        return new IllegalArgumentException("the blob " + what);
    }
}
