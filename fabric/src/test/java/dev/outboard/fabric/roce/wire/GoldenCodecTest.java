package dev.outboard.fabric.roce.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Golden;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Packets of foreign implementations decode to what other programs say they hold, and encode from
/// the decoded fields to the same bytes.
class GoldenCodecTest {
    @ParameterizedTest
    @MethodSource("dev.outboard.fabric.roce.wire.GoldenPacket#all")
    @Requirement("ROCE-PKT-2")
    void decodesTheBaseHeader(GoldenPacket golden) {
        Golden.Entry entry = golden.entry();
        Packet packet = golden.packet();
        // Bit by bit, as spec/roce.md, 1.3 has them.
        byte[] bth = golden.segment().asSlice(0, 12).toArray(ValueLayout.JAVA_BYTE);

        assertThat(packet.opcode().code()).isEqualTo(entry.opcode()).isEqualTo(bth[0] & 0xFF);
        assertThat(packet.solicited()).isEqualTo(bth[1] < 0);
        assertThat(packet.migrationRequest()).isEqualTo((bth[1] & 0x40) == 0x40);
        assertThat(packet.padCount()).isEqualTo(entry.padCount());
        assertThat(Bth.transportVersion(golden.segment(), 0)).isZero();
        assertThat(packet.partitionKey()).isEqualTo(0xFFFF);
        assertThat(packet.fecn()).isFalse();
        assertThat(packet.becn()).isEqualTo(packet.opcode() == Opcode.CNP);
        assertThat(packet.destinationQpn()).isEqualTo(entry.destinationQueuePair());
        assertThat(packet.ackRequest()).isEqualTo(bth[8] < 0);
        assertThat(packet.psn()).isEqualTo(entry.psn());
    }

    @Test
    @Requirement("ROCE-PKT-2")
    void decodesTheFlagsThatTheIndexNotes() {
        assertThat(GoldenPacket.named("rc_send_only_32").packet().ackRequest()).isTrue();
        assertThat(GoldenPacket.named("rc_ack").packet().ackRequest()).isFalse();
        assertThat(GoldenPacket.named("rc_send_first").packet().ackRequest()).isFalse();
        assertThat(GoldenPacket.named("rc_send_last_solicited").packet().solicited()).isTrue();
        assertThat(GoldenPacket.named("rc_send_last_imm_pad3").packet().solicited()).isFalse();
        assertThat(GoldenPacket.named("rc_write_only_imm_8_se").packet().solicited()).isTrue();
        assertThat(GoldenPacket.named("hw_cx4lx_cnp").packet().becn()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("dev.outboard.fabric.roce.wire.GoldenPacket#all")
    @Requirement({"ROCE-PKT-2", "ROCE-PKT-3", "ROCE-PKT-4"})
    void encodesTheSameBytes(GoldenPacket golden) {
        try (var arena = Arena.ofConfined()) {
            MemorySegment encoded = arena.allocate(golden.length());
            Encoding.encode(
                    golden.packet(), golden.path(), golden.entry().ipId().orElse(0), encoded);

            assertThat(encoded.toArray(ValueLayout.JAVA_BYTE))
                    .isEqualTo(golden.segment().toArray(ValueLayout.JAVA_BYTE));
        }
    }

    @Test
    @Requirement("ROCE-PKT-3")
    void decodesRdmaHeaders() {
        Packet first = GoldenPacket.named("rc_write_first").packet();
        assertThat(first.dmaLength()).isEqualTo(2501);
        assertThat(first.payloadLength()).isEqualTo(1024);
        assertThat(GoldenPacket.named("rc_read_request").packet().dmaLength()).isEqualTo(2501);
        assertThat(GoldenPacket.named("rc_write_only_imm_8_se").packet().dmaLength()).isEqualTo(8);
        assertThat(GoldenPacket.named("rc_write_only_0").packet().dmaLength()).isZero();

        for (String name : List.of("rc_write_first", "rc_read_request", "rc_write_only_7_pad1")) {
            Packet packet = GoldenPacket.named(name).packet();
            ByteBuffer reth = behindBth(name);
            assertThat(packet.remoteAddress()).isEqualTo(reth.getLong()).isNotZero();
            assertThat(packet.remoteKey()).isEqualTo(reth.getInt()).isNotZero();
        }
    }

    @Test
    @Requirement("ROCE-PKT-3")
    void decodesAcknowledgements() {
        assertThat(GoldenPacket.named("rc_ack").packet().syndrome()).isEqualTo(Aeth.ACK);
        assertThat(GoldenPacket.named("rc_ack").packet().msn()).isEqualTo(1);
        assertThat(syndrome("rc_nak_psn_seq")).isEqualTo(Aeth.NAK_PSN_SEQUENCE_ERROR);
        assertThat(syndrome("rc_nak_inv_req")).isEqualTo(Aeth.NAK_INVALID_REQUEST);
        assertThat(syndrome("rc_nak_rem_access")).isEqualTo(Aeth.NAK_REMOTE_ACCESS_ERROR);
        assertThat(syndrome("rc_nak_rem_op")).isEqualTo(Aeth.NAK_REMOTE_OPERATIONAL_ERROR);
        assertThat(syndrome("rc_rnr_nak_14")).isEqualTo(Aeth.rnrNak(14));
        assertThat(syndrome("rc_read_resp_last_pad3")).isEqualTo(Aeth.ACK);
    }

    @Test
    @Requirement("ROCE-PKT-3")
    void decodesAtomics() {
        Packet swap = GoldenPacket.named("rc_cmp_swap").packet();
        assertThat(swap.compare()).isEqualTo(0x0706050403020100L);
        assertThat(swap.swapOrAdd()).isEqualTo(0x1122334455667788L);
        ByteBuffer atomicEth = behindBth("rc_cmp_swap");
        assertThat(swap.remoteAddress()).isEqualTo(atomicEth.getLong()).isNotZero();
        assertThat(swap.remoteKey()).isEqualTo(atomicEth.getInt()).isNotZero();

        Packet add = GoldenPacket.named("rc_fetch_add").packet();
        assertThat(add.swapOrAdd()).isEqualTo(5);
        assertThat(add.compare()).isZero();
        assertThat(add.remoteKey()).isEqualTo(swap.remoteKey());

        // The answer to the CMP_SWAP, which found what it compared with.
        Packet answer = GoldenPacket.named("rc_atomic_ack").packet();
        assertThat(answer.psn()).isEqualTo(swap.psn());
        assertThat(answer.originalValue()).isEqualTo(swap.compare());
    }

    @Test
    @Requirement("ROCE-PKT-3")
    void decodesDatagramsImmediateDataAndInvalidation() {
        Packet datagram = GoldenPacket.named("ud_send_only_100").packet();
        assertThat(datagram.queueKey()).isEqualTo(0x11111111);
        assertThat(datagram.payloadLength()).isEqualTo(100);
        assertThat(GoldenPacket.named("ud_send_only_imm_udaddy").packet().queueKey())
                .isEqualTo(0x01234567);
        Packet request = GoldenPacket.named("cm_req").packet();
        assertThat(request.queueKey()).isEqualTo(0x80010000);
        assertThat(request.sourceQpn()).isEqualTo(1);
        assertThat(request.payloadLength()).isEqualTo(256);

        assertThat(immediate("rc_send_only_imm_3_pad1")).isEqualTo(0xDEADBEEF);
        assertThat(immediate("rc_send_last_imm_pad3")).isEqualTo(0xDEADBEEF);
        assertThat(immediate("rc_write_only_imm_8_se")).isEqualTo(0xDEADBEEF);
        assertThat(immediate("rc_write_only_imm_0")).isEqualTo(0xDEADBEEF);

        assertThat(GoldenPacket.named("rc_send_only_inv").packet().invalidateKey())
                .isEqualTo(behindBth("rc_send_only_inv").getInt())
                .isNotZero();
    }

    @ParameterizedTest
    @MethodSource("dev.outboard.fabric.roce.wire.GoldenPacket#all")
    @Requirement("ROCE-PKT-4")
    void stripsThePadFromThePayload(GoldenPacket golden) {
        Packet packet = golden.packet();
        long padAt = packet.payloadOffset() + packet.payloadLength();
        long icrcAt = golden.segment().byteSize() - Icrc.LENGTH;

        assertThat(icrcAt - padAt).isEqualTo(golden.entry().padCount());
        assertThat(Bth.padCount(packet.payloadLength())).isEqualTo(golden.entry().padCount());
    }

    /// The bytes of an IPv4 packet behind its 20 + 8 + 12 bytes of IP, UDP and BTH.
    private static ByteBuffer behindBth(String name) {
        return ByteBuffer.wrap(GoldenPacket.named(name).bytes()).position(40).slice();
    }

    private static int syndrome(String name) {
        return GoldenPacket.named(name).packet().syndrome();
    }

    private static int immediate(String name) {
        return GoldenPacket.named(name).packet().immediate();
    }
}
