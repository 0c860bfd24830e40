package dev.outboard.fabric.roce.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class IcrcTest {
    private final Icrc icrc = new Icrc();

    @ParameterizedTest
    @MethodSource("dev.outboard.fabric.roce.wire.GoldenPacket#all")
    @Requirement("ROCE-ICRC-1")
    void equalsTheOneOnTheWire(GoldenPacket golden) {
        int identification = golden.entry().ipId().orElse(0);

        assertThat(compute(golden, identification))
                .isEqualTo(Integer.reverseBytes(golden.entry().icrc()));
    }

    private int compute(GoldenPacket golden, int identification) {
        Packet packet = golden.packet();
        icrc.begin(
                golden.path(),
                identification,
                golden.length(),
                golden.segment(),
                0,
                packet.opcode().headerLength());
        icrc.update(golden.payload(), packet.payloadOffset(), packet.payloadLength());
        return icrc.finish(packet.padCount());
    }
}
