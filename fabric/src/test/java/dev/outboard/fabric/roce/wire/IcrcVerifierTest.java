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
        int identification = verify(solving, golden, golden.path());

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

            assertThat(verify(solving, packet, packet.path())).isEqualTo(identification);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.outboard.fabric.roce.wire.GoldenPacket#all")
    @Requirement("ROCE-ICRC-6")
    void refusesEverySingleBitErrorOfAnUnknownSender(GoldenPacket golden) {
        for (int bit = 0; bit < golden.length() * 8; bit++) {
            boolean masked = bit / 8 == 4;

            assertThat(verifyFlipped(golden, golden.unknownPath(), bit))
                    .as("bit %d", bit)
                    .isEqualTo(masked ? golden.entry().ipId().orElse(0) : IcrcVerifier.BAD);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.outboard.fabric.roce.wire.GoldenPacket#all")
    @Requirement("ROCE-ICRC-6")
    void refusesEverySingleBitErrorOfAKnownSender(GoldenPacket golden) {
        Path path = golden.path();
        for (int bit = 0; bit < golden.length() * 8; bit++) {
            if (bit / 8 != 4) {
                assertThat(verifyFlipped(golden, path, bit))
                        .as("bit %d", bit)
                        .isEqualTo(IcrcVerifier.BAD);
            }
            assertThat(verify(solving, golden, path)).isNotEqualTo(IcrcVerifier.BAD);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.outboard.fabric.roce.wire.GoldenPacket#all")
    @Requirement("ROCE-ICRC-6")
    void refusesEverySingleBitErrorOfAddressesAndSourcePort(GoldenPacket golden) {
        boolean ipv4 = golden.ipLength() == 20;
        int from = ipv4 ? 12 : 8;
        for (int bit = from * 8; bit < (golden.ipLength() + 2) * 8; bit++) {
            Path wrong = golden.flipped(bit).path();

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
                    assertThat(verify(strict, golden, golden.path()))
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
        GoldenPacket.all().forEach(golden -> verify(solving, golden, golden.path()));
        assertThat(solving.strictOk()).isEqualTo(7);
        assertThat(solving.solved()).isEqualTo(48);
        assertThat(solving.bad()).isZero();

        GoldenPacket ack = GoldenPacket.named("rc_ack");
        verifyFlipped(ack, ack.path(), 0);
        assertThat(solving.bad()).isEqualTo(1);
    }

    @Test
    @Requirement("ROCE-ICRC-7")
    void offAcceptsEverythingAndCountsNothing() {
        var off = new IcrcVerifier(Policy.OFF);
        GoldenPacket ack = GoldenPacket.named("rc_ack");
        flip(ack.segment(), 0);

        assertThat(verify(off, ack, ack.path())).isZero();
        assertThat(off.strictOk() + off.solved() + off.bad()).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"STRICT", "SOLVE"})
    @Requirement("ROCE-ICRC-7")
    void ipv6LeavesNothingToSolve(Policy policy) {
        var verifier = new IcrcVerifier(policy);
        GoldenPacket golden = GoldenPacket.named("v6_rc_ack");
        assertThat(verify(verifier, golden, golden.path())).isZero();
        flip(golden.segment(), 100);

        assertThat(verify(verifier, golden, golden.path())).isEqualTo(IcrcVerifier.BAD);
        assertThat(verifier.strictOk()).isEqualTo(1);
        assertThat(verifier.bad()).isEqualTo(1);
    }

    @Test
    @Requirement("ROCE-ICRC-8")
    void acceptsASenderWithoutDontFragmentAndRemembersIt() {
        Path path = packet(0x1000, 0).path();

        // One packet is not believed: a single-bit error can look the same.
        assertThat(verify(solving, packet(0x1000, 0), path)).isEqualTo(IcrcVerifier.BAD);
        assertThat(path.isDontFragment()).isTrue();
        for (int identification = 0x1001; identification < 0x1010; identification++) {
            assertThat(verify(solving, packet(identification, 0), path)).isEqualTo(identification);
            assertThat(path.isDontFragment()).isFalse();
        }
        assertThat(solving.solved()).isEqualTo(15);
        assertThat(solving.bad()).isEqualTo(1);

        // It is remembered of this sender only.
        Path other = packet(0, 0).path();
        assertThat(verify(solving, packet(0x2000, DONT_FRAGMENT), other)).isEqualTo(0x2000);
        assertThat(verify(strict, packet(0, 0), packet(0, 0).path())).isEqualTo(IcrcVerifier.BAD);
    }

    @Test
    @Requirement("ROCE-ICRC-8")
    void followsASenderThatChangesItsMind() {
        Path path = packet(0, 0).path();
        verify(solving, packet(0x1000, 0), path);
        assertThat(verify(solving, packet(0x1001, 0), path)).isEqualTo(0x1001);

        assertThat(verify(solving, packet(0x1002, DONT_FRAGMENT), path))
                .isEqualTo(IcrcVerifier.BAD);
        assertThat(verify(solving, packet(0x1003, DONT_FRAGMENT), path)).isEqualTo(0x1003);
        assertThat(path.isDontFragment()).isTrue();
    }

    @Test
    void takesTheWholeCheckForAnAnswerWhateverTheHabit() {
        Path path = packet(0, 0).path();
        verify(solving, packet(0x1000, 0), path);
        verify(solving, packet(0x1001, 0), path);

        assertThat(verify(solving, packet(0, DONT_FRAGMENT), path)).isZero();
        assertThat(path.isDontFragment()).isTrue();
    }

    @Test
    void believesNoSingleBrokenHabitBetweenBadPackets() {
        GoldenPacket damaged = packet(0x3000, DONT_FRAGMENT);
        flip(damaged.segment(), 77);
        Path path = packet(0, 0).path();
        for (int round = 0; round < 10; round++) {
            assertThat(verify(solving, packet(0x1000 + round, 0), path))
                    .isEqualTo(IcrcVerifier.BAD);
            assertThat(verify(solving, damaged, path)).isEqualTo(IcrcVerifier.BAD);
        }
    }

    @Test
    void demandsZeroOfASenderThatAlwaysUsesIt() {
        Path path = packet(0, DONT_FRAGMENT).path();
        sendZeros(path, SenderHabit.HABITUAL_ZEROS - 1);
        assertThat(verify(solving, packet(0xA4C2, DONT_FRAGMENT), path)).isEqualTo(0xA4C2);
        sendZeros(path, SenderHabit.HABITUAL_ZEROS);

        assertThat(verify(solving, packet(0xA4C2, DONT_FRAGMENT), path))
                .isEqualTo(IcrcVerifier.BAD);
        assertThat(verify(solving, packet(0, DONT_FRAGMENT), path)).isZero();
        assertThat(verify(solving, packet(0xA4C3, DONT_FRAGMENT), path))
                .isEqualTo(IcrcVerifier.BAD);
        // Two in a row: another stack sends from that address now.
        assertThat(verify(solving, packet(0xA4C4, DONT_FRAGMENT), path)).isEqualTo(0xA4C4);
        assertThat(verify(solving, packet(0xA4C5, DONT_FRAGMENT), path)).isEqualTo(0xA4C5);
    }

    @Test
    @Requirement("ROCE-ICRC-4")
    void acceptsSegmentationOffloadOfASenderThatOtherwiseUsesZero() {
        Path path = packet(0, DONT_FRAGMENT).path();
        sendZeros(path, 1_000);
        for (int index = 0; index < SenderHabit.MAX_SEGMENTS; index++) {
            assertThat(verify(solving, packet(index, DONT_FRAGMENT), path)).isEqualTo(index);
        }
        // The bursts do not end the habit.
        assertThat(verify(solving, packet(SenderHabit.MAX_SEGMENTS, DONT_FRAGMENT), path))
                .isEqualTo(IcrcVerifier.BAD);
    }

    @ParameterizedTest
    @ValueSource(ints = {-4, 0, 4, 12, 17, 18, 19, 65_528, 65_536})
    void refusesImpossibleLengths(int length) {
        GoldenPacket golden = GoldenPacket.named("rc_send_first");

        assertThat(solving.verify(golden.path(), golden.payload(), 0, length))
                .isEqualTo(IcrcVerifier.BAD);
    }

    private void sendZeros(Path path, int count) {
        GoldenPacket zero = packet(0, DONT_FRAGMENT);
        for (int i = 0; i < count; i++) {
            assertThat(verify(solving, zero, path)).isZero();
        }
    }

    private static int verify(IcrcVerifier verifier, GoldenPacket packet, Path path) {
        return verifier.verify(path, packet.payload(), 0, packet.length());
    }

    private int verifyFlipped(GoldenPacket golden, Path path, int bit) {
        flip(golden.segment(), bit);
        int result = verify(solving, golden, path);
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
