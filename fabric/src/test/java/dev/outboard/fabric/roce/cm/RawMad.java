package dev.outboard.fabric.roce.cm;

import dev.outboard.fabric.roce.wire.cm.CmDatagram;
import dev.outboard.fabric.roce.wire.cm.CmMessage;
import java.nio.ByteBuffer;

/// A datagram whose bytes are changed one field at a time, by the offsets of the specification and
/// not by those of the code under test.
final class RawMad {
    private static final int MESSAGE = 24;

    private final ByteBuffer mad;

    private RawMad(byte[] mad) {
        this.mad = ByteBuffer.wrap(mad.clone());
    }

    static RawMad of(byte[] mad) {
        return new RawMad(mad);
    }

    static RawMad of(CmNetwork.Sent sent) {
        return new RawMad(sent.mad());
    }

    static RawMad of(CmMessage message) {
        return new RawMad(new CmDatagram(0x1234, message).emit());
    }

    /// A REQ of another connection.
    RawMad localIdAndQpn(int localId, int localQpn) {
        return put32(0, localId).put24(32, localQpn);
    }

    RawMad put8(int at, int value) {
        mad.put(MESSAGE + at, (byte) value);
        return this;
    }

    RawMad put16(int at, int value) {
        mad.putShort(MESSAGE + at, (short) value);
        return this;
    }

    RawMad put24(int at, int value) {
        return put8(at, value >>> 16).put16(at + 1, value);
    }

    RawMad put32(int at, int value) {
        mad.putInt(MESSAGE + at, value);
        return this;
    }

    RawMad put64(int at, long value) {
        mad.putLong(MESSAGE + at, value);
        return this;
    }

    RawMad transactionId(long value) {
        mad.putLong(8, value);
        return this;
    }

    /// A byte of the MAD header.
    RawMad header8(int at, int value) {
        mad.put(at, (byte) value);
        return this;
    }

    byte[] bytes() {
        return mad.array().clone();
    }
}
