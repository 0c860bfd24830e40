package dev.outboard.naa;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/// A captured RoCEv2 packet over IPv4, as far as these tests look into it. They read bytes, not
/// through the codecs that made them.
record Frame(ByteBuffer bytes, boolean outbound) {
    static final int SEND_ONLY = 0x04;
    static final int WRITE_ONLY = 0x0a;
    static final int WRITE_ONLY_WITH_IMMEDIATE = 0x0b;
    static final int ACKNOWLEDGE = 0x11;
    static final int UD_SEND_ONLY = 0x64;

    private static final int ENHANCED_PACKET = 6;
    private static final int OUTBOUND = 2;
    private static final int BTH = 20 + 8;
    private static final int AFTER_BTH = BTH + 12;
    private static final int RETH = 16;
    private static final int ICRC = 4;
    private static final int MAD = AFTER_BTH + 8;
    private static final int CM = MAD + 24;

    /// Reads the frames of a big-endian pcapng file of raw IP packets.
    static List<Frame> read(Path capture) {
        ByteBuffer file;
        try {
            file = ByteBuffer.wrap(Files.readAllBytes(capture));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        List<Frame> frames = new ArrayList<>();
        while (file.hasRemaining()) {
            int start = file.position();
            int length = file.getInt(start + 4);
            if (file.getInt(start) == ENHANCED_PACKET) {
                int captured = file.getInt(start + 20);
                int options = start + 28 + ((captured + 3) & ~3);
                frames.add(
                        new Frame(
                                file.slice(start + 28, captured),
                                flags(file, options, start + length - 4) == OUTBOUND));
            }
            file.position(start + length);
        }
        return frames;
    }

    private static int flags(ByteBuffer file, int from, int to) {
        int at = from;
        while (at < to) {
            int code = file.getShort(at);
            int length = file.getShort(at + 2);
            if (code == 2) {
                return file.getInt(at + 4);
            }
            at += 4 + ((length + 3) & ~3);
        }
        return 0;
    }

    int opcode() {
        return Byte.toUnsignedInt(bytes.get(BTH));
    }

    boolean solicited() {
        return (bytes.get(BTH + 1) & 0x80) != 0;
    }

    int psn() {
        return bytes.getInt(BTH + 8) & 0xffffff;
    }

    /// The payload of a SEND, in native memory.
    MemorySegment sendPayload() {
        int pad = bytes.get(BTH + 1) >> 4 & 3;
        ByteBuffer payload = bytes.slice(AFTER_BTH, bytes.capacity() - AFTER_BTH - pad - ICRC);
        return Arena.ofAuto()
                .allocate(payload.capacity())
                .copyFrom(MemorySegment.ofBuffer(payload));
    }

    /// What a SEND or a WRITE of one packet carries.
    String payloadHex() {
        int headers =
                switch (opcode()) {
                    case WRITE_ONLY -> RETH;
                    case WRITE_ONLY_WITH_IMMEDIATE -> RETH + 4;
                    default -> 0;
                };
        int pad = bytes.get(BTH + 1) >> 4 & 3;
        return hex(AFTER_BTH + headers, bytes.capacity() - ICRC - pad);
    }

    /// Where a WRITE goes: address, then key.
    String writeTargetHex() {
        return writeAddressHex() + writeKeyHex();
    }

    String writeAddressHex() {
        return hex(AFTER_BTH, AFTER_BTH + 8);
    }

    String writeKeyHex() {
        return hex(AFTER_BTH + 8, AFTER_BTH + 12);
    }

    /// Of a request for regions: the flags and the size of each.
    String flagsAndSizes() {
        StringBuilder all = new StringBuilder();
        for (int at = AFTER_BTH + 4; at + 24 <= bytes.capacity() - ICRC; at += 24) {
            all.append("%s:%d ".formatted(hex(at, at + 1), bytes.getInt(at + 20)));
        }
        return all.toString();
    }

    private String hex(int from, int to) {
        return HexFormat.of()
                .formatHex(bytes.array(), bytes.arrayOffset() + from, bytes.arrayOffset() + to);
    }

    /// Whether it only asks the other side for a sign of life.
    boolean isProbe() {
        return opcode() == WRITE_ONLY && writeLength() == 0;
    }

    /// What an acknowledgement says; 0 to 31 is positive.
    int syndrome() {
        return Byte.toUnsignedInt(bytes.get(AFTER_BTH));
    }

    /// The bytes that a WRITE announces.
    int writeLength() {
        return bytes.getInt(AFTER_BTH + 12);
    }

    /// The immediate value of a WRITE of one packet.
    int immediate() {
        return bytes.getInt(AFTER_BTH + RETH);
    }

    boolean isCm() {
        return opcode() == UD_SEND_ONLY;
    }

    boolean isRequest() {
        return !isCm() && opcode() != ACKNOWLEDGE;
    }

    /// The name of a connection management message.
    String cmName() {
        int attribute = Short.toUnsignedInt(bytes.getShort(MAD + 16));
        return switch (attribute) {
            case 0x10 -> "REQ";
            case 0x11 -> "MRA";
            case 0x12 -> "REJ";
            case 0x13 -> "REP";
            case 0x14 -> "RTU";
            case 0x15 -> "DREQ";
            case 0x16 -> "DREP";
            default -> Integer.toHexString(attribute);
        };
    }

    /// A byte of a connection management message.
    int cm(int offset) {
        return Byte.toUnsignedInt(bytes.get(CM + offset));
    }

    long cmLong(int offset) {
        return bytes.getLong(CM + offset);
    }
}
