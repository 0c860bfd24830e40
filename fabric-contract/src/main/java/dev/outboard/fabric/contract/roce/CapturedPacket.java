package dev.outboard.fabric.contract.roce;

import dev.outboard.testkit.CaptureFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32;

/// A captured RoCEv2 packet, from the IP header to the ICRC, read as bytes and not through the
/// codecs that made them.
///
/// @param epochNanos when it was captured
/// @param outbound whether the device that captured it sent it
/// @param bytes IPv4 without options, UDP, InfiniBand transport
public record CapturedPacket(long epochNanos, boolean outbound, byte[] bytes) {
    public static final int SEND_ONLY = 0x04;
    public static final int WRITE_ONLY = 0x0a;
    public static final int WRITE_ONLY_WITH_IMMEDIATE = 0x0b;
    public static final int ACKNOWLEDGE = 0x11;
    public static final int UD_SEND_ONLY = 0x64;

    private static final int OUTBOUND = 2;
    private static final int IP = 20;
    private static final int BTH = IP + 8;
    private static final int AFTER_BTH = BTH + 12;
    private static final int RETH = 16;
    private static final int ICRC = 4;
    private static final int MAD = AFTER_BTH + 8;
    private static final int CM = MAD + 24;

    public CapturedPacket {
        if (bytes[0] != 0x45) {
            throw new IllegalArgumentException("not IPv4 without options: " + bytes[0]);
        }
    }

    /// All packets of a pcapng file.
    public static List<CapturedPacket> readAll(Path capture) {
        return CaptureFile.read(capture).stream()
                .map(entry ->
                        new CapturedPacket(
                                entry.epochNanos(), entry.direction() == OUTBOUND, entry.packet()))
                .toList();
    }

    /// The first of `packets` with `opcode`.
    public static CapturedPacket first(List<CapturedPacket> packets, int opcode) {
        return packets.stream()
                .filter(each -> each.opcode() == opcode)
                .findFirst()
                .orElseThrow(() ->
                        new AssertionError(
                                "no packet with opcode %02x among %s"
                                        .formatted(opcode, opcodes(packets))));
    }

    private static List<String> opcodes(List<CapturedPacket> packets) {
        return packets.stream().map(each -> "%02x".formatted(each.opcode())).toList();
    }

    /// Where it comes from.
    public InetAddress source() {
        try {
            return InetAddress.getByAddress(Arrays.copyOfRange(bytes, 12, 16));
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    /// The opcode, with the transport's three bits.
    public int opcode() {
        return Byte.toUnsignedInt(bytes[BTH]);
    }

    public boolean solicited() {
        return (bytes[BTH + 1] & 0x80) != 0;
    }

    public int destinationQueuePair() {
        return getInt(BTH + 4) & 0xffffff;
    }

    public int psn() {
        return getInt(BTH + 8) & 0xffffff;
    }

    /// From the base transport header on, with padding and ICRC.
    public int transportLength() {
        return bytes.length - BTH;
    }

    /// `length` bytes from `offset` after the base transport header, two digits each.
    public String hex(int offset, int length) {
        return HexFormat.of().formatHex(bytes, AFTER_BTH + offset, AFTER_BTH + offset + length);
    }

    /// The payload of a SEND, in native memory.
    public MemorySegment sendPayload() {
        int length = bytes.length - AFTER_BTH - padCount() - ICRC;
        return Arena.ofAuto()
                .allocate(length)
                .copyFrom(MemorySegment.ofArray(bytes).asSlice(AFTER_BTH, length));
    }

    /// What a SEND or a WRITE of one packet carries.
    public String payloadHex() {
        int headers =
                switch (opcode()) {
                    case WRITE_ONLY -> RETH;
                    case WRITE_ONLY_WITH_IMMEDIATE -> RETH + 4;
                    default -> 0;
                };
        return hex(headers, bytes.length - ICRC - padCount() - AFTER_BTH - headers);
    }

    private int padCount() {
        return bytes[BTH + 1] >> 4 & 3;
    }

    /// Where a WRITE goes: address, then key.
    public String writeTargetHex() {
        return writeAddressHex() + writeKeyHex();
    }

    public String writeAddressHex() {
        return hex(0, 8);
    }

    public String writeKeyHex() {
        return hex(8, 4);
    }

    /// The bytes that a WRITE announces.
    public int writeLength() {
        return getInt(AFTER_BTH + 12);
    }

    /// The immediate value of a WRITE of one packet.
    public int immediate() {
        return getInt(AFTER_BTH + RETH);
    }

    /// Whether it only asks the other side for a sign of life.
    public boolean isProbe() {
        return opcode() == WRITE_ONLY && writeLength() == 0;
    }

    /// What an acknowledgement says; 0 to 31 is positive.
    public int syndrome() {
        return Byte.toUnsignedInt(bytes[AFTER_BTH]);
    }

    public boolean isRequest() {
        return !isCm() && opcode() != ACKNOWLEDGE;
    }

    /// Whether it is a datagram of the connection management.
    public boolean isCm() {
        return opcode() == UD_SEND_ONLY && destinationQueuePair() == 1;
    }

    /// The name of a connection management message.
    public String cmName() {
        int attribute = getInt(MAD + 16) >>> 16;
        return switch (attribute) {
            case 0x10 -> "REQ";
            case 0x11 -> "MRA";
            case 0x12 -> "REJ";
            case 0x13 -> "REP";
            case 0x14 -> "RTU";
            case 0x15 -> "DREQ";
            case 0x16 -> "DREP";
            default -> "attribute " + Integer.toHexString(attribute);
        };
    }

    /// A byte of a connection management message.
    public int cm(int offset) {
        return Byte.toUnsignedInt(bytes[CM + offset]);
    }

    public long cmLong(int offset) {
        return ByteBuffer.wrap(bytes).getLong(CM + offset);
    }

    /// `length` bytes of a connection management message from `offset`, two digits each.
    public String cmHex(int offset, int length) {
        return hex(CM - AFTER_BTH + offset, length);
    }

    /// Recomputes the invariant CRC: CRC-32 over 64 bits of ones and the packet, in which all
    /// fields that routers may change count as ones.
    public boolean hasRightIcrc() {
        byte[] masked = bytes.clone();
        int[] variant = {1, 8, 10, 11, IP + 6, IP + 7, BTH + 4};
        for (int at : variant) {
            masked[at] = (byte) 0xff;
        }
        CRC32 crc = new CRC32();
        byte[] ones = new byte[8];
        Arrays.fill(ones, (byte) 0xff);
        crc.update(ones);
        crc.update(masked, 0, masked.length - ICRC);
        int sent =
                ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(bytes.length - ICRC);
        return (int) crc.getValue() == sent;
    }

    private int getInt(int at) {
        return ByteBuffer.wrap(bytes).getInt(at);
    }
}
