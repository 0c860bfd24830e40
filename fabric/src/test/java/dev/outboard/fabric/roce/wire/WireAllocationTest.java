package dev.outboard.fabric.roce.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Neither side of the data path allocates per packet.
class WireAllocationTest {
    private static final int ROUNDS = 100_000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final Icrc icrc = new Icrc();
    private final IcrcVerifier verifier = new IcrcVerifier(IcrcVerifier.Policy.SOLVE);
    private final Packet packet = new Packet();

    /// Small and large, with pad and without, of both IP versions.
    private final List<GoldenPacket> goldens =
            List.of(
                    GoldenPacket.named("plain_rc_send_only"),
                    GoldenPacket.named("rc_ack"),
                    GoldenPacket.named("rc_write_first"),
                    GoldenPacket.named("plain_gso_seg1"),
                    GoldenPacket.named("v6_rc_send_only"),
                    GoldenPacket.named("rc_send_last_imm_pad3"));

    @Test
    void packetsAllocateNothing() {
        rounds(ROUNDS / 2);
        long before = threads.getCurrentThreadAllocatedBytes();
        rounds(ROUNDS);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;

        // The measurement may cost a few bytes itself; a packet costs none.
        assertThat(allocated / ROUNDS).isZero();
        assertThat(verifier.bad()).isZero();
        assertThat(verifier.strictOk() + verifier.solved()).isEqualTo(ROUNDS + ROUNDS / 2);
        assertThat(verifier.solved()).isGreaterThan(ROUNDS);
    }

    private void rounds(int count) {
        for (int i = 0; i < count; i++) {
            GoldenPacket golden = goldens.get(i % goldens.size());
            send(golden, i & 0xFFFF);
            receive(golden);
        }
    }

    /// Rewrites the base header and computes the ICRC for an identification that has to be solved.
    private void send(GoldenPacket golden, int identification) {
        MemorySegment segment = golden.segment();
        packet.wrap(segment, 0, golden.length());
        Bth.write(
                segment,
                0,
                packet.opcode(),
                packet.solicited(),
                packet.padCount(),
                packet.partitionKey(),
                packet.destinationQpn(),
                packet.ackRequest(),
                packet.psn());
        icrc.begin(
                golden.path(),
                identification,
                golden.length(),
                segment,
                0,
                packet.opcode().headerLength());
        icrc.update(golden.payload(), packet.payloadOffset(), packet.payloadLength());
        Icrc.put(segment, golden.length() - Icrc.LENGTH, icrc.finish(packet.padCount()));
    }

    private void receive(GoldenPacket golden) {
        Path path = golden.path();
        int identification = verifier.verify(golden.sender(), golden.payload(), 0, golden.length());
        PacketFlaw reason = packet.wrap(golden.segment(), 0, golden.length());
        packet.from(path.source().high(), path.source().low(), path.sourcePort(), 0);
        assert identification >= 0 && reason == null : reason;
    }
}
