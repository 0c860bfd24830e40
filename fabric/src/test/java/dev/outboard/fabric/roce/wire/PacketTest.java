package dev.outboard.fabric.roce.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class PacketTest {
    private static final int FLAGS = 1;
    private static final int CONGESTION = 4;

    private final Packet packet = new Packet();

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4, 12, 15})
    @Requirement("ROCE-PKT-5")
    void refusesLessThanBaseHeaderAndIcrc(int length) {
        assertThat(packet.wrap(sendOnly(4), 0, length)).isEqualTo(PacketFlaw.TOO_SHORT);
    }

    @ParameterizedTest
    @EnumSource
    @Requirement("ROCE-PKT-5")
    void refusesLessThanTheHeadersOfTheOpcode(Opcode opcode) {
        int length = opcode.headerLength() + Icrc.LENGTH;
        MemorySegment memory = header(opcode, 0, length);

        assertThat(packet.wrap(memory, 0, length)).isNull();
        assertThat(packet.payloadLength()).isZero();
        assertThat(packet.wrap(memory, 0, length - 4)).isEqualTo(PacketFlaw.TOO_SHORT);
    }

    @ParameterizedTest
    @ValueSource(ints = {17, 18, 19})
    @Requirement("ROCE-PKT-5")
    void refusesLengthsThatAreNoMultipleOfFour(int length) {
        assertThat(packet.wrap(sendOnly(4), 0, length)).isEqualTo(PacketFlaw.NOT_MULTIPLE_OF_4);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 8, 15})
    @Requirement("ROCE-PKT-5")
    void refusesOtherTransportVersions(int version) {
        assertThat(wrapChanged(it -> BigEndian.put8(it, FLAGS, 0x40 | version)))
                .isEqualTo(PacketFlaw.BAD_TRANSPORT_VERSION);
    }

    @Test
    @Requirement("ROCE-PKT-5")
    void refusesUnknownOpcodes() {
        for (int code = 0; code < 256; code++) {
            MemorySegment memory = header(Opcode.SEND_ONLY, 0, 64);
            BigEndian.put8(memory, 0, code);

            assertThat(packet.wrap(memory, 0, 64))
                    .as("opcode %02x", code)
                    .isEqualTo(Opcode.of(code) == null ? PacketFlaw.UNKNOWN_OPCODE : null);
        }
    }

    @Test
    @Requirement("ROCE-PKT-5")
    void refusesQueuePairZero() {
        assertThat(wrapChanged(it -> BigEndian.put32(it, 4, 0))).isEqualTo(PacketFlaw.QPN_ZERO);
        // The reserved byte in front is not part of the number.
        assertThat(wrapChanged(it -> BigEndian.put32(it, 4, 0xFF000000)))
                .isEqualTo(PacketFlaw.QPN_ZERO);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void refusesMorePadThanPayload(int padCount) {
        MemorySegment memory = header(Opcode.SEND_ONLY, padCount, 20);

        assertThat(packet.wrap(memory, 0, 16)).isEqualTo(PacketFlaw.BAD_PAD);
        assertThat(packet.wrap(memory, 0, 20)).isNull();
        assertThat(packet.payloadLength()).isEqualTo(4 - padCount);
    }

    @Test
    @Requirement("ROCE-PKT-6")
    void acceptsBothKindsOfMigrationRequest() {
        assertThat(wrapChanged(it -> Encoding.putMigrationRequest(it, false))).isNull();
        assertThat(packet.migrationRequest()).isFalse();
        assertThat(wrapChanged(it -> Encoding.putMigrationRequest(it, true))).isNull();
        assertThat(packet.migrationRequest()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    @Requirement("ROCE-PKT-6")
    void sendsMigrationRequestAsOne(Opcode opcode) {
        MemorySegment memory = header(opcode, 0, 64);

        assertThat(BigEndian.get8(memory, FLAGS)).isEqualTo(0x40);
    }

    @Test
    @Requirement("ROCE-PKT-7")
    void acceptsTheDefaultPartitionOnly() {
        for (int key = 0; key < 0x10000; key++) {
            int partitionKey = key;
            PacketFlaw expected =
                    key == 0xFFFF || key == 0x7FFF ? null : PacketFlaw.BAD_PARTITION_KEY;

            assertThat(wrapChanged(it -> BigEndian.put16(it, 2, partitionKey)))
                    .as("P_Key %04x", key)
                    .isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"SEND_ONLY", "WRITE_ONLY", "ACKNOWLEDGE", "UD_SEND_ONLY"})
    @Requirement("ROCE-PKT-8")
    void ignoresCongestionAndReservedBits(Opcode opcode) {
        MemorySegment memory = header(opcode, 0, 64);
        for (int bits = 0; bits < 256; bits++) {
            BigEndian.put8(memory, CONGESTION, bits);

            assertThat(packet.wrap(memory, 0, 64)).isNull();
            assertThat(packet.destinationQpn()).isEqualTo(0x123456);
            assertThat(packet.fecn()).isEqualTo(bits >= 0x80);
            assertThat(packet.becn()).isEqualTo((bits & 0x40) != 0);
        }
    }

    @Test
    @Requirement("ROCE-PKT-4")
    void padsToAMultipleOfFour() {
        for (int length = 0; length <= PathMtu.MTU_4096.bytes(); length++) {
            int padCount = Bth.padCount(length);
            assertThat(padCount).isBetween(0, 3);
            assertThat((length + padCount) % 4).isZero();
        }
    }

    @Test
    @Requirement("ROCE-PKT-4")
    void ignoresWhatThePadBytesHold() {
        MemorySegment memory = header(Opcode.SEND_ONLY, 3, 24);
        BigEndian.put32(memory, 16, 0x11FFFFFF);

        assertThat(packet.wrap(memory, 0, 24)).isNull();
        assertThat(packet.payloadOffset()).isEqualTo(12);
        assertThat(packet.payloadLength()).isEqualTo(5);
    }

    @ParameterizedTest
    @MethodSource("dev.outboard.fabric.roce.wire.GoldenPacket#all")
    @Requirement("ROCE-PKT-1")
    void neverAsksForTheSourcePort(GoldenPacket golden) {
        for (int port : new int[] {0, 1, 4791, 51_234, 65_535}) {
            packet.from(golden.path().source().high(), golden.path().source().low(), port, 0);

            assertThat(packet.wrap(golden.segment(), 0, golden.length())).isNull();
            assertThat(packet.sourcePort()).isEqualTo(port);
        }
    }

    @Test
    void readsAPacketAnywhereInABuffer() {
        GoldenPacket golden = GoldenPacket.named("rc_write_only_imm_8_se");
        try (var arena = Arena.ofConfined()) {
            int at = 4 + 3;
            MemorySegment buffer = arena.allocate(at + golden.length() + 5);
            MemorySegment.copy(golden.segment(), 0, buffer, at, golden.length());

            assertThat(packet.wrap(buffer, at, golden.length())).isNull();
            assertThat(packet.payloadOffset()).isEqualTo(at + 32);
            assertThat(packet.immediate()).isEqualTo(0xDEADBEEF);
            assertThat(packet.dmaLength()).isEqualTo(8);
            assertThat(packet.segment()).isSameAs(buffer);
        }
    }

    @Test
    void readsAsOneLine() {
        assertThat(new Packet()).hasToString("no packet");
        assertThat(GoldenPacket.named("rc_send_only_32").packet())
                .hasToString(
                        "SEND_ONLY qpn 0x000011 psn 0x90e341 ack-request 32 bytes from"
                                + " 10.77.0.2");
        assertThat(GoldenPacket.named("rc_ack").packet())
                .hasToString(
                        "ACKNOWLEDGE qpn 0x000011 psn 0x90e341 syndrome 0x1f msn 1 0 bytes from"
                                + " 10.77.0.1");
        assertThat(GoldenPacket.named("v6_cm_req").packet().toString())
                .contains("from qpn 0x000001")
                .endsWith("256 bytes from fd77:0:0:0:0:0:0:2");
    }

    private @Nullable PacketFlaw wrapChanged(Consumer<MemorySegment> change) {
        MemorySegment memory = sendOnly(4);
        change.accept(memory);
        return packet.wrap(memory, 0, 20);
    }

    private static MemorySegment sendOnly(int payloadLength) {
        return header(Opcode.SEND_ONLY, 0, 16 + payloadLength);
    }

    private static MemorySegment header(Opcode opcode, int padCount, int length) {
        MemorySegment memory = MemorySegment.ofArray(new byte[length]);
        Bth.write(memory, 0, opcode, false, padCount, 0xFFFF, 0x123456, false, 0);
        return memory;
    }
}
