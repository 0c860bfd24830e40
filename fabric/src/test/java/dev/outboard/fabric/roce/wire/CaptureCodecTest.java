package dev.outboard.fabric.roce.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.memory.Payload;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Every packet of the captures of Linux soft-RoCE, against our codecs and against what tshark
/// reads in it.
class CaptureCodecTest {
    private static final int ICRC_AT = -4;
    private static final String CAPTURES = "dev.outboard.fabric.roce.wire.CapturedPacket#captures";

    @Test
    void thereAreFortyCaptures() {
        assertThat(CapturedPacket.captures()).hasSize(40);
        assertThat(CapturedPacket.captures().map(CapturedPacket::of).mapToInt(List::size).sum())
                .isGreaterThan(800);
    }

    @ParameterizedTest
    @MethodSource(CAPTURES)
    @Requirement({"ROCE-PKT-2", "ROCE-PKT-3", "ROCE-PKT-4", "ROCE-ICRC-1"})
    void everyPacketIsEncodedToTheSameBytes(String capture) {
        for (CapturedPacket captured : supported(capture)) {
            Packet packet = captured.packet();
            MemorySegment encoded = Arena.ofAuto().allocate(packet.length());

            Encoding.encode(packet, captured.path(), captured.identification(), encoded);

            assertThat(HexFormat.of().formatHex(encoded.toArray(ValueLayout.JAVA_BYTE)))
                    .as("%s %s", captured, packet)
                    .isEqualTo(HexFormat.of().formatHex(captured.datagram()));
        }
    }

    @ParameterizedTest
    @MethodSource(CAPTURES)
    @Requirement({"ROCE-ICRC-1", "ROCE-ICRC-5", "ROCE-ICRC-7"})
    void everyChecksumIsRightAndTellsTheIdentification(String capture) {
        IcrcVerifier verifier = new IcrcVerifier(IcrcVerifier.Policy.SOLVE);
        for (CapturedPacket captured : CapturedPacket.of(capture)) {
            byte[] datagram = captured.datagram();
            MemorySegment memory = Arena.ofAuto().allocate(datagram.length, Long.BYTES);
            memory.copyFrom(MemorySegment.ofArray(datagram));

            int identification =
                    verifier.verify(
                            new Sender(captured.path()), Payload.of(memory), 0, datagram.length);

            assertThat(identification).as("%s", captured).isEqualTo(captured.identification());
        }
        assertThat(verifier.bad()).isZero();
    }

    @ParameterizedTest
    @MethodSource(CAPTURES)
    @Requirement({"ROCE-PKT-2", "ROCE-PKT-3"})
    void everyFieldIsWhatAnotherDecoderReads(String capture) {
        List<String[]> rows = CapturedPacket.decodedByOthers(capture);
        Map<Integer, String[]> byFrame = new LinkedHashMap<>();
        rows.stream().skip(1).forEach(row -> byFrame.put(Integer.valueOf(row[0]), row));
        assertThat(CapturedPacket.of(capture))
                .extracting(CapturedPacket::frame)
                .containsExactlyElementsOf(byFrame.keySet());
        for (CapturedPacket captured : supported(capture)) {
            Map<String, Long> ours = fields(captured);
            String[] theirs = byFrame.get(captured.frame());
            for (int i = 0; i < rows.getFirst().length; i++) {
                String column = rows.getFirst()[i];
                if (isLostToTheirDecoder(column, captured)) {
                    continue;
                }
                if (ours.containsKey(column)) {
                    assertThat(i < theirs.length ? theirs[i] : "")
                            .as("%s of %s", column, captured)
                            .isNotEmpty()
                            .satisfies(cell ->
                                    assertThat(number(column, cell)).isEqualTo(ours.get(column)));
                } else if (column.startsWith("infiniband") && !isOfMad(column)) {
                    assertThat(i < theirs.length ? theirs[i] : "")
                            .as("%s of %s", column, captured)
                            .isEmpty();
                }
            }
        }
    }

    /// Unreliable connections are out of scope: their packets are dropped, and nothing else.
    @Test
    @Requirement("ROCE-PKT-5")
    void unreliableConnectionsAreUnknown() {
        for (CapturedPacket captured : CapturedPacket.of("uc-pingpong")) {
            MemorySegment memory = MemorySegment.ofArray(captured.datagram());
            assertThat(new Packet().wrap(memory, 0, captured.datagram().length))
                    .isEqualTo(PacketFlaw.UNKNOWN_OPCODE);
        }
    }

    private static List<CapturedPacket> supported(String capture) {
        List<CapturedPacket> packets = new ArrayList<>(CapturedPacket.of(capture));
        packets.removeIf(packet -> Opcode.of(packet.datagram()[0] & 0xFF) == null);
        return packets;
    }

    private static Map<String, Long> fields(CapturedPacket captured) {
        Packet packet = captured.packet();
        Opcode opcode = packet.opcode();
        Map<String, Long> fields = new LinkedHashMap<>();
        fields.put("bth.opcode", (long) opcode.code());
        fields.put("bth.se", flag(packet.solicited()));
        fields.put("bth.m", flag(packet.migrationRequest()));
        fields.put("bth.padcnt", (long) packet.padCount());
        fields.put("bth.tver", 0L);
        fields.put("bth.p_key", (long) packet.partitionKey());
        fields.put("bth.destqp", (long) packet.destinationQpn());
        fields.put("bth.a", flag(packet.ackRequest()));
        fields.put("bth.psn", (long) packet.psn());
        if (opcode.hasDeth()) {
            fields.put("deth.q_key", Integer.toUnsignedLong(packet.queueKey()));
            fields.put("deth.srcqp", (long) packet.sourceQpn());
        }
        if (opcode.hasReth() || opcode.hasAtomicEth()) {
            fields.put("reth.va", packet.remoteAddress());
            fields.put("reth.r_key", Integer.toUnsignedLong(packet.remoteKey()));
        }
        if (opcode.hasReth()) {
            fields.put("reth.dmalen", packet.dmaLength());
        }
        if (opcode.hasAtomicEth()) {
            fields.put("atomiceth.swapdt", packet.swapOrAdd());
            fields.put("atomiceth.cmpdt", packet.compare());
        }
        if (opcode.hasAeth()) {
            fields.put("aeth.syndrome", (long) packet.syndrome());
            fields.put("aeth.msn", (long) packet.msn());
        }
        if (opcode.hasAtomicAckEth()) {
            fields.put("atomicacketh.origremdt", packet.originalValue());
        }
        if (opcode.hasImmediate()) {
            fields.put("immdt", Integer.toUnsignedLong(packet.immediate()));
        }
        if (opcode.hasIeth()) {
            fields.put("ieth", Integer.toUnsignedLong(packet.invalidateKey()));
        }
        fields.put("invariant.crc", icrc(captured.datagram()));
        Map<String, Long> prefixed = new LinkedHashMap<>();
        fields.forEach((name, value) -> prefixed.put("infiniband." + name, value));
        return prefixed;
    }

    /// As it stands on the wire.
    private static long icrc(byte[] datagram) {
        int at = datagram.length + ICRC_AT;
        return Integer.toUnsignedLong(BigEndian.get32(MemorySegment.ofArray(datagram), at));
    }

    /// tshark takes the payload of short SENDs for another protocol's, and gives up before the
    /// ICRC.
    private static boolean isLostToTheirDecoder(String column, CapturedPacket captured) {
        Packet packet = captured.packet();
        return column.equals("infiniband.invariant.crc")
                && packet.opcode().operation() == Opcode.Operation.SEND
                && packet.payloadLength() <= Long.BYTES;
    }

    private static boolean isOfMad(String column) {
        return column.startsWith("infiniband.mad");
    }

    private static Long flag(boolean set) {
        return set ? 1L : 0L;
    }

    private static Long number(String column, String cell) {
        return switch (column) {
            // Bytes, printed without 0x.
            case "infiniband.immdt", "infiniband.ieth" -> Long.parseUnsignedLong(cell, 16);
            default ->
                    cell.startsWith("0x")
                            ? Long.parseUnsignedLong(cell.substring(2), 16)
                            : Long.parseUnsignedLong(cell);
        };
    }
}
