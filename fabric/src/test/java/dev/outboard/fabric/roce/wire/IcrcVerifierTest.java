package dev.outboard.fabric.roce.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.roce.wire.IcrcVerifier.Policy;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class IcrcVerifierTest {
    private static final int DONT_FRAGMENT = 0x4000;

    private static final GoldenPacket ACK = GoldenPacket.named("rc_ack");

    private final IcrcVerifier solving = new IcrcVerifier(Policy.SOLVE);
    private final IcrcVerifier strict = new IcrcVerifier(Policy.STRICT);

    @ParameterizedTest
    @MethodSource("dev.outboard.fabric.roce.wire.GoldenPacket#ipv4")
    @Requirement("ROCE-ICRC-5")
    void recoversTheIdentificationFromTheUdpPayloadAlone(GoldenPacket golden) {
        int identification = verify(solving, golden, golden.sender());

        assertThat(identification).isEqualTo(golden.entry().ipId().orElseThrow());
    }

    @ParameterizedTest
    @ValueSource(ints = {16, 20, 48, 280, 1040, 4112, 4128})
    @Requirement("ROCE-ICRC-5")
    void recoversEveryIdentificationAtEveryLength(int length) {
        byte[] udpPayload = new byte[length];
        new SplittableRandom(length).nextBytes(udpPayload);
        for (int identification = 0; identification < 0x10000; identification += 0x101) {
            GoldenPacket packet = packet(udpPayload, identification, DONT_FRAGMENT);

            assertThat(verify(solving, packet, packet.sender())).isEqualTo(identification);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.outboard.fabric.roce.wire.GoldenPacket#all")
    @Requirement("ROCE-ICRC-6")
    void refusesEverySingleBitErrorOfAnUnknownSender(GoldenPacket golden) {
        for (int bit = 0; bit < golden.length() * 8; bit++) {
            boolean masked = bit / 8 == 4;

            assertThat(verifyFlipped(golden, golden.unknownSender(), bit))
                    .as("bit %d", bit)
                    .isEqualTo(masked ? golden.entry().ipId().orElse(0) : IcrcVerifier.BAD);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.outboard.fabric.roce.wire.GoldenPacket#all")
    @Requirement("ROCE-ICRC-6")
    void refusesEverySingleBitErrorOfAKnownSender(GoldenPacket golden) {
        Sender sender = golden.sender();
        for (int bit = 0; bit < golden.length() * 8; bit++) {
            if (bit / 8 != 4) {
                assertThat(verifyFlipped(golden, sender, bit))
                        .as("bit %d", bit)
                        .isEqualTo(IcrcVerifier.BAD);
            }
            assertThat(verify(solving, golden, sender)).isNotEqualTo(IcrcVerifier.BAD);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.outboard.fabric.roce.wire.GoldenPacket#all")
    @Requirement("ROCE-ICRC-6")
    void refusesEverySingleBitErrorOfAddressesAndSourcePort(GoldenPacket golden) {
        boolean ipv4 = golden.ipLength() == 20;
        int from = ipv4 ? 12 : 8;
        for (int bit = from * 8; bit < (golden.ipLength() + 2) * 8; bit++) {
            Sender wrong = golden.flipped(bit).sender();

            assertThat(verify(solving, golden, wrong))
                    .as("bit %d", bit)
                    .isEqualTo(IcrcVerifier.BAD);
        }
    }

    @Test
    @Requirement("ROCE-ICRC-7")
    void strictDemandsIdentificationZero() {
        assertThat(GoldenPacket.all())
                .allSatisfy(golden -> {
                    boolean zero = golden.entry().ipId().orElse(0) == 0;
                    assertThat(verify(strict, golden, golden.sender()))
                            .isEqualTo(zero ? 0 : IcrcVerifier.BAD);
                });
        // Three plain packets, the constructed one, and three on IPv6.
        assertThat(strict.strictOk()).isEqualTo(7);
        assertThat(strict.bad()).isEqualTo(48);
        assertThat(strict.solved()).isZero();
    }

    @Test
    @Requirement("ROCE-ICRC-7")
    void solveCountsWhatItSolved() {
        GoldenPacket.all().forEach(golden -> verify(solving, golden, golden.sender()));
        assertThat(solving.strictOk()).isEqualTo(7);
        assertThat(solving.solved()).isEqualTo(48);
        assertThat(solving.bad()).isZero();

        GoldenPacket ack = GoldenPacket.named("rc_ack");
        verifyFlipped(ack, ack.sender(), 0);
        assertThat(solving.bad()).isEqualTo(1);
    }

    @Test
    @Requirement("ROCE-ICRC-7")
    void offAcceptsEverythingAndCountsNothing() {
        var off = new IcrcVerifier(Policy.OFF);
        GoldenPacket ack = GoldenPacket.named("rc_ack");
        flip(ack.segment(), 0);

        assertThat(verify(off, ack, ack.sender())).isZero();
        assertThat(off.strictOk() + off.solved() + off.bad()).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"STRICT", "SOLVE"})
    @Requirement("ROCE-ICRC-7")
    void ipv6LeavesNothingToSolve(Policy policy) {
        var verifier = new IcrcVerifier(policy);
        GoldenPacket golden = GoldenPacket.named("v6_rc_ack");
        assertThat(verify(verifier, golden, golden.sender())).isZero();
        flip(golden.segment(), 100);

        assertThat(verify(verifier, golden, golden.sender())).isEqualTo(IcrcVerifier.BAD);
        assertThat(verifier.strictOk()).isEqualTo(1);
        assertThat(verifier.bad()).isEqualTo(1);
    }

    @Test
    @Requirement("ROCE-ICRC-8")
    void acceptsASenderWithoutDontFragmentAndRemembersIt() {
        Sender sender = packet(0x1000, 0).sender();

        // One packet is not believed: a single-bit error can look the same.
        assertThat(verify(solving, packet(0x1000, 0), sender)).isEqualTo(IcrcVerifier.BAD);
        assertThat(sender.path().isDontFragment()).isTrue();
        for (int identification = 0x1001; identification < 0x1010; identification++) {
            assertThat(verify(solving, packet(identification, 0), sender))
                    .isEqualTo(identification);
            assertThat(sender.path().isDontFragment()).isFalse();
        }
        assertThat(solving.solved()).isEqualTo(15);
        assertThat(solving.bad()).isEqualTo(1);

        // It is remembered of this sender only.
        Sender other = packet(0, 0).sender();
        assertThat(verify(solving, packet(0x2000, DONT_FRAGMENT), other)).isEqualTo(0x2000);
        assertThat(verify(strict, packet(0, 0), packet(0, 0).sender())).isEqualTo(IcrcVerifier.BAD);
    }

    @Test
    @Requirement("ROCE-ICRC-8")
    void followsASenderThatChangesItsMind() {
        Sender sender = packet(0, 0).sender();
        verify(solving, packet(0x1000, 0), sender);
        assertThat(verify(solving, packet(0x1001, 0), sender)).isEqualTo(0x1001);

        assertThat(verify(solving, packet(0x1002, DONT_FRAGMENT), sender))
                .isEqualTo(IcrcVerifier.BAD);
        assertThat(verify(solving, packet(0x1003, DONT_FRAGMENT), sender)).isEqualTo(0x1003);
        assertThat(sender.path().isDontFragment()).isTrue();
    }

    @Test
    void takesTheWholeCheckForAnAnswerWhateverTheHabit() {
        Sender sender = packet(0, 0).sender();
        verify(solving, packet(0x1000, 0), sender);
        verify(solving, packet(0x1001, 0), sender);

        assertThat(verify(solving, packet(0, DONT_FRAGMENT), sender)).isZero();
        assertThat(sender.path().isDontFragment()).isTrue();
    }

    @Test
    void believesNoSingleBrokenHabitBetweenBadPackets() {
        GoldenPacket damaged = packet(0x3000, DONT_FRAGMENT);
        flip(damaged.segment(), 77);
        Sender sender = packet(0, 0).sender();
        for (int round = 0; round < 10; round++) {
            assertThat(verify(solving, packet(0x1000 + round, 0), sender))
                    .isEqualTo(IcrcVerifier.BAD);
            assertThat(verify(solving, damaged, sender)).isEqualTo(IcrcVerifier.BAD);
        }
    }

    @Test
    void demandsZeroOfASenderThatAlwaysUsesIt() {
        Sender sender = packet(0, DONT_FRAGMENT).sender();
        sendZeros(sender, Sender.HABITUAL_ZEROS - 1);
        assertThat(verify(solving, packet(0xA4C2, DONT_FRAGMENT), sender)).isEqualTo(0xA4C2);
        sendZeros(sender, Sender.HABITUAL_ZEROS);

        assertThat(verify(solving, packet(0xA4C2, DONT_FRAGMENT), sender))
                .isEqualTo(IcrcVerifier.BAD);
        assertThat(verify(solving, packet(0, DONT_FRAGMENT), sender)).isZero();
        assertThat(verify(solving, packet(0xA4C3, DONT_FRAGMENT), sender))
                .isEqualTo(IcrcVerifier.BAD);
        // Two in a row: another stack sends from that address now.
        assertThat(verify(solving, packet(0xA4C4, DONT_FRAGMENT), sender)).isEqualTo(0xA4C4);
        assertThat(verify(solving, packet(0xA4C5, DONT_FRAGMENT), sender)).isEqualTo(0xA4C5);
    }

    @Test
    @Requirement("ROCE-ICRC-4")
    void acceptsSegmentationOffloadOfASenderThatOtherwiseUsesZero() {
        Sender sender = packet(0, DONT_FRAGMENT).sender();
        sendZeros(sender, 1_000);
        for (int index = 0; index < Sender.MAX_SEGMENTS; index++) {
            assertThat(verify(solving, packet(index, DONT_FRAGMENT), sender)).isEqualTo(index);
        }
        // The bursts do not end the habit.
        assertThat(verify(solving, packet(Sender.MAX_SEGMENTS, DONT_FRAGMENT), sender))
                .isEqualTo(IcrcVerifier.BAD);
    }

    @ParameterizedTest
    @ValueSource(ints = {-4, 0, 4, 12, 17, 18, 19, 65_528, 65_536})
    void refusesImpossibleLengths(int length) {
        GoldenPacket golden = GoldenPacket.named("rc_send_first");

        assertThat(solving.verify(golden.sender(), golden.payload(), 0, length))
                .isEqualTo(IcrcVerifier.BAD);
    }

    private void sendZeros(Sender sender, int count) {
        GoldenPacket zero = packet(0, DONT_FRAGMENT);
        for (int i = 0; i < count; i++) {
            assertThat(verify(solving, zero, sender)).isZero();
        }
    }

    private static int verify(IcrcVerifier verifier, GoldenPacket packet, Sender sender) {
        return verifier.verify(sender, packet.payload(), 0, packet.length());
    }

    private int verifyFlipped(GoldenPacket golden, Sender sender, int bit) {
        flip(golden.segment(), bit);
        int result = verify(solving, golden, sender);
        flip(golden.segment(), bit);
        return result;
    }

    private static GoldenPacket packet(int identification, int flags) {
        return packet(new byte[48], identification, flags);
    }

    /// A golden packet's headers and another content, with the ICRC that the sender gives it.
    private static GoldenPacket packet(byte[] udpPayload, int identification, int flags) {
        return ACK.with(udpPayload, identification, flags);
    }

    private static void flip(MemorySegment segment, int bit) {
        BigEndian.put8(segment, bit / 8, BigEndian.get8(segment, bit / 8) ^ 1 << bit % 8);
    }
}
