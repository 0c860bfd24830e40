package dev.outboard.fabric.roce.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.FuzzCorpus;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// No bytes make the parser fail, and no packet that it accepts makes an accessor read elsewhere:
/// the memory ends exactly where the packet does.
class PacketFuzzTest {
    private static final int ROUNDS = 20_000;
    private static final int MAX_LENGTH = 72;

    private static final int MUTATIONS = 20_000;

    private final Packet packet = new Packet();

    /// What a fuzzer calls.
    public static void fuzzerTestOneInput(byte[] bytes) {
        var test = new PacketFuzzTest();
        if (test.packet.wrap(MemorySegment.ofArray(bytes), 0, bytes.length) == null) {
            test.readEverything(bytes.length);
        }
    }

    @Test
    @Requirement("ROCE-PKT-5")
    void survivesItsCorpusAndWhatIsNearIt() {
        FuzzCorpus corpus = FuzzCorpus.of("packet");
        corpus.replay(PacketFuzzTest::fuzzerTestOneInput);
        corpus.mutate(MUTATIONS, PacketFuzzTest::fuzzerTestOneInput);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    @Requirement("ROCE-PKT-5")
    void survivesRandomBytes(long seed) {
        var random = new SplittableRandom(seed);
        var outcomes = EnumSet.noneOf(PacketFlaw.class);
        int accepted = 0;
        for (int round = 0; round < ROUNDS; round++) {
            byte[] bytes = new byte[random.nextInt(MAX_LENGTH)];
            random.nextBytes(bytes);
            makePlausible(bytes, random);
            PacketFlaw reason = packet.wrap(MemorySegment.ofArray(bytes), 0, bytes.length);
            if (reason == null) {
                accepted++;
                readEverything(bytes.length);
            } else {
                outcomes.add(reason);
            }
        }
        // Or the test has tested nothing.
        assertThat(accepted).isGreaterThan(ROUNDS / 20);
        assertThat(outcomes)
                .containsExactlyInAnyOrder(
                        PacketFlaw.TOO_SHORT,
                        PacketFlaw.NOT_MULTIPLE_OF_4,
                        PacketFlaw.BAD_TRANSPORT_VERSION,
                        PacketFlaw.UNKNOWN_OPCODE,
                        PacketFlaw.QPN_ZERO,
                        PacketFlaw.BAD_PARTITION_KEY,
                        PacketFlaw.BAD_PAD);
    }

    /// Random bytes rarely come past the first checks: most packets get some fields right.
    private static void makePlausible(byte[] bytes, SplittableRandom random) {
        if (bytes.length < Bth.LENGTH || random.nextInt(8) == 0) {
            return;
        }
        Opcode[] opcodes = Opcode.values();
        bytes[0] = (byte) opcodes[random.nextInt(opcodes.length)].code();
        if (random.nextInt(8) != 0) {
            bytes[1] &= (byte) 0xF0;
        }
        if (random.nextInt(8) != 0) {
            bytes[2] |= 0x7F;
            bytes[3] = -1;
        }
        if (random.nextInt(8) == 0) {
            bytes[5] = 0;
            bytes[6] = 0;
            bytes[7] = 0;
        }
    }

    private void readEverything(int length) {
        long end = packet.payloadOffset() + packet.payloadLength() + packet.padCount();
        assertThat(packet.payloadLength()).isNotNegative();
        assertThat(end + Icrc.LENGTH).isEqualTo(length);
        assertThat(packet.psn()).isBetween(0, Psn.MASK);
        assertThat(packet.destinationQpn()).isBetween(1, Psn.MASK);
        for (Supplier<Object> accessor : accessors(packet.opcode())) {
            assertThat(accessor.get()).isNotNull();
        }
        assertThat(packet.toString()).startsWith(packet.opcode().name()).doesNotContain("\n");
    }

    private List<Supplier<Object>> accessors(Opcode opcode) {
        var accessors = new ArrayList<Supplier<Object>>();
        if (opcode.hasReth()) {
            accessors.add(packet::dmaLength);
        }
        if (opcode.hasReth() || opcode.hasAtomicEth()) {
            accessors.add(packet::remoteAddress);
            accessors.add(packet::remoteKey);
        }
        if (opcode.hasAtomicEth()) {
            accessors.add(packet::swapOrAdd);
            accessors.add(packet::compare);
        }
        if (opcode.hasAeth()) {
            accessors.add(packet::syndrome);
            accessors.add(packet::msn);
        }
        if (opcode.hasAtomicAckEth()) {
            accessors.add(packet::originalValue);
        }
        if (opcode.hasDeth()) {
            accessors.add(packet::queueKey);
            accessors.add(packet::sourceQpn);
        }
        if (opcode.hasImmediate()) {
            accessors.add(packet::immediate);
        }
        if (opcode.hasIeth()) {
            accessors.add(packet::invalidateKey);
        }
        return accessors;
    }
}
