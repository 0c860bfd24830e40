package dev.outboard.fabric.roce.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class IcrcTest {
    private static final int UDP_LENGTH = 8;

    /// Byte 4 of the BTH.
    private static final int MASKED_BTH_BYTE = 4;

    private final Icrc icrc = new Icrc();

    @ParameterizedTest
    @MethodSource("dev.outboard.fabric.roce.wire.GoldenPacket#all")
    @Requirement("ROCE-ICRC-1")
    void equalsTheOneOnTheWire(GoldenPacket golden) {
        assertThat(compute(golden)).isEqualTo(Integer.reverseBytes(golden.entry().icrc()));
    }

    @ParameterizedTest
    @MethodSource("dev.outboard.fabric.roce.wire.GoldenPacket#all")
    @Requirement("ROCE-ICRC-2")
    void changesWithEveryBitOfTheTransportHeadersAndPayload(GoldenPacket golden) {
        int right = compute(golden);
        int coveredBits = (golden.length() - Icrc.LENGTH) * 8;
        for (int bit = 0; bit < coveredBits; bit++) {
            flip(golden.segment(), bit);
            boolean changed = compute(golden) != right;
            flip(golden.segment(), bit);

            assertThat(changed).as("bit %d", bit).isEqualTo(bit / 8 != MASKED_BTH_BYTE);
        }
    }

    /// The receiver does not see the headers, so the two sides part here: the packet's ICRC is that
    /// of its changed headers, the receiver's that of the headers it takes for granted.
    @ParameterizedTest
    @MethodSource("dev.outboard.fabric.roce.wire.GoldenPacket#all")
    @Requirement("ROCE-ICRC-2")
    void differsFromThatOfChangedIpAndUdpHeaders(GoldenPacket golden) {
        int expected = compute(golden);
        for (int bit = 0; bit < headerBits(golden); bit++) {
            int onTheWire = ReferenceIcrc.of(golden.ipLength(), golden.flipped(bit).bytes());
            boolean masked = ReferenceIcrc.isMasked(golden.ipLength(), bit);

            assertThat(onTheWire == expected).as("bit %d", bit).isEqualTo(masked);
        }
    }

    /// Addresses and source port come from the socket, the identification from the sender.
    @ParameterizedTest
    @MethodSource("dev.outboard.fabric.roce.wire.GoldenPacket#all")
    @Requirement("ROCE-ICRC-2")
    void changesWithThePathButNotWithItsTrafficClass(GoldenPacket golden) {
        int right = compute(golden);
        boolean ipv4 = golden.ipLength() == 20;
        for (int bit = 0; bit < headerBits(golden); bit++) {
            int at = bit / 8;
            boolean address = at >= (ipv4 ? 12 : 8) && at < golden.ipLength() + 2;
            boolean identification = ipv4 && (at == 4 || at == 5);
            if (bit >= 8) {
                assertThat(compute(golden.flipped(bit)) != right)
                        .as("bit %d", bit)
                        .isEqualTo(address || identification);
            }
        }
    }

    @Test
    @Requirement("ROCE-ICRC-4")
    void takesTheSegmentIndexForIdentification() {
        for (int index = 0; index < 3; index++) {
            GoldenPacket segment = GoldenPacket.named("plain_gso_seg" + index);
            int onTheWire = Integer.reverseBytes(segment.entry().icrc());

            assertThat(compute(segment, index)).isEqualTo(onTheWire);
            assertThat(compute(segment, index + 1)).isNotEqualTo(onTheWire);
        }
    }

    @Test
    void knowsNoIdentificationInIpv6() {
        GoldenPacket golden = GoldenPacket.named("v6_rc_send_only");

        assertThat(compute(golden, 1)).isEqualTo(compute(golden, 0));
    }

    /// Pieces are copied or hashed in place depending on their size; the result must not tell.
    @ParameterizedTest
    @MethodSource("dev.outboard.fabric.roce.wire.GoldenPacket#all")
    void doesNotDependOnThePiecesOfThePayload(GoldenPacket golden) {
        var random = new SplittableRandom(golden.length());
        Packet packet = golden.packet();
        for (int round = 0; round < 200; round++) {
            begin(golden, packet, golden.entry().ipId().orElse(0));
            int done = 0;
            while (done < packet.payloadLength()) {
                int piece = random.nextInt(packet.payloadLength() - done + 1);
                icrc.update(golden.payload(), packet.payloadOffset() + done, piece);
                done += piece;
            }
            int result = icrc.finish(packet.padCount());

            assertThat(result).isEqualTo(Integer.reverseBytes(golden.entry().icrc()));
        }
    }

    @Test
    void keepsPathsApart() {
        List<GoldenPacket> goldens = GoldenPacket.all().toList();
        var random = new SplittableRandom(7);
        for (int round = 0; round < 1_000; round++) {
            GoldenPacket golden = goldens.get(random.nextInt(goldens.size()));

            assertThat(compute(golden)).isEqualTo(Integer.reverseBytes(golden.entry().icrc()));
        }
    }

    @Test
    void standsInThePacketLeastSignificantByteFirst() {
        try (var arena = Arena.ofConfined()) {
            MemorySegment segment = arena.allocate(8);
            // The worked example of spec/roce.md, 1.6.
            Icrc.put(segment, 3, 0x8DC697B1);

            assertThat(BigEndian.get32(segment, 3)).isEqualTo(0xB197C68D);
            assertThat(Icrc.get(segment, 3)).isEqualTo(0x8DC697B1);
        }
    }

    private int compute(GoldenPacket golden) {
        // Not the index's: the packet may have been changed.
        byte[] ip = golden.bytes();
        return compute(golden, (ip[4] & 0xFF) << 8 | (ip[5] & 0xFF));
    }

    private int compute(GoldenPacket golden, int identification) {
        // The lengths of a changed packet may contradict each other, so all behind the BTH counts
        // as payload.
        icrc.begin(golden.path(), identification, golden.length(), golden.segment(), 0, Bth.LENGTH);
        icrc.update(golden.payload(), Bth.LENGTH, golden.length() - Bth.LENGTH - Icrc.LENGTH);
        return icrc.finish(0);
    }

    private void begin(GoldenPacket golden, Packet packet, int identification) {
        icrc.begin(
                golden.path(),
                identification,
                golden.length(),
                golden.segment(),
                0,
                packet.opcode().headerLength());
    }

    private static int headerBits(GoldenPacket golden) {
        return (golden.ipLength() + UDP_LENGTH) * 8;
    }

    private static void flip(MemorySegment segment, int bit) {
        BigEndian.put8(segment, bit / 8, BigEndian.get8(segment, bit / 8) ^ 1 << bit % 8);
    }
}
