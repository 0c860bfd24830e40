package dev.outboard.fabric.roce.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class IpHeadersTest {
    private static final int UDP_CHECKSUM = 6;

    /// The kernels that sent these packets wrote the same headers, but for a checksum that some
    /// left out, a hop limit of their own or a flow label: what a receiver cannot know.
    @ParameterizedTest
    @MethodSource("dev.outboard.fabric.roce.wire.GoldenPacket#all")
    void equalTheHeadersOnTheWire(GoldenPacket golden) {
        byte[] expected = golden.bytes().clone();
        byte[] written = write(golden);
        clearWhatNobodyKnows(golden, expected);
        clearWhatNobodyKnows(golden, written);

        assertThat(written).isEqualTo(expected);
    }

    @ParameterizedTest
    @MethodSource("dev.outboard.fabric.roce.wire.GoldenPacket#all")
    void checksumsAddUpToOnes(GoldenPacket golden) {
        byte[] written = write(golden);
        int ip = golden.ipLength();
        if (ip == 20) {
            assertThat(onesComplementSum(written, 0, 20, 0)).isEqualTo(0xFFFF);
        }
        int udpLength = written.length - ip;
        int addresses = ip == 20 ? 8 : 32;
        int pseudoHeader = 17 + udpLength;

        assertThat(onesComplementSum(written, ip - addresses, written.length, pseudoHeader))
                .isEqualTo(0xFFFF);
    }

    @ParameterizedTest
    @MethodSource("dev.outboard.fabric.roce.wire.GoldenPacket#all")
    @Requirement("ROCE-PKT-1")
    void nameTheRoceDestinationPort(GoldenPacket golden) {
        byte[] written = write(golden);
        long icrcPort = golden.path().template().byteSize() - 6;

        assertThat(port(written, golden.ipLength() + 2)).isEqualTo(4791);
        assertThat(port(golden.bytes(), golden.ipLength() + 2)).isEqualTo(4791);
        assertThat(BigEndian.get16(golden.path().template(), icrcPort)).isEqualTo(4791);
    }

    @Test
    void tellWhenTheSenderAllowsFragments() {
        GoldenPacket first = GoldenPacket.named("rc_ack").with(new byte[32], 7, 0);
        GoldenPacket second = GoldenPacket.named("rc_ack").with(new byte[32], 8, 0);
        var verifier = new IcrcVerifier(IcrcVerifier.Policy.SOLVE);
        verifier.verify(first.sender(), first.payload(), 0, first.length());
        int identification = verifier.verify(first.sender(), second.payload(), 0, second.length());
        MemorySegment packet = MemorySegment.ofArray(new byte[20]);
        IpHeaders.writeIp(packet, 0, first.sender().path(), identification, second.length());

        assertThat(BigEndian.get16(packet, 4)).isEqualTo(8);
        assertThat(BigEndian.get16(packet, 6)).isZero();
    }

    /// RFC 768: 0 says that there is no checksum, so one that comes to 0 is sent as all ones.
    @Test
    void neverCarryTheChecksumThatMeansNone() {
        GoldenPacket golden = GoldenPacket.named("rc_ack");
        MemorySegment packet = MemorySegment.ofArray(new byte[28 + 16]);
        int ones = 0;
        for (int word = 0; word < 0x10000; word++) {
            BigEndian.put16(packet, 28, word);
            IpHeaders.write(packet, 0, golden.path(), 0, 16);
            int checksum = BigEndian.get16(packet, 20 + UDP_CHECKSUM);
            ones += checksum == 0xFFFF ? 1 : 0;

            assertThat(checksum).isNotZero();
        }
        assertThat(ones).isPositive();
    }

    /// Not a packet, but a capture shows it all the same.
    @Test
    void coverAnOddNumberOfBytes() {
        GoldenPacket golden = GoldenPacket.named("rc_ack");
        byte[] packet = Arrays.copyOf(write(golden), 28 + 17);
        IpHeaders.write(MemorySegment.ofArray(packet), 0, golden.path(), 0, 17);
        byte[] even = Arrays.copyOf(packet, packet.length + 1);

        assertThat(onesComplementSum(even, 12, even.length, 17 + 25)).isEqualTo(0xFFFF);
    }

    private static byte[] write(GoldenPacket golden) {
        byte[] packet = golden.bytes().clone();
        int headers = IpHeaders.length(golden.path());
        assertThat(headers).isEqualTo(golden.ipLength() + 8);
        // Leftovers must not shine through.
        Arrays.fill(packet, 0, headers, (byte) 0xA5);
        IpHeaders.write(
                MemorySegment.ofArray(packet),
                0,
                golden.path(),
                golden.entry().ipId().orElse(0),
                golden.length());
        return packet;
    }

    private static void clearWhatNobodyKnows(GoldenPacket golden, byte[] packet) {
        MemorySegment segment = MemorySegment.ofArray(packet);
        boolean ipv4 = golden.ipLength() == 20;
        boolean ownTimeToLive = golden.bytes()[ipv4 ? 8 : 7] != 64;
        if (ownTimeToLive) {
            BigEndian.put8(segment, ipv4 ? 8 : 7, 0);
        }
        if (ownTimeToLive && ipv4) {
            BigEndian.put16(segment, 10, 0);
        }
        if (!ipv4) {
            BigEndian.put16(segment, 2, 0);
        }
        BigEndian.put16(segment, golden.ipLength() + UDP_CHECKSUM, 0);
    }

    /// RFC 1071: over data and its checksum the sum is all ones.
    private static int onesComplementSum(byte[] bytes, int from, int to, int start) {
        MemorySegment segment = MemorySegment.ofArray(bytes);
        int sum = start;
        for (int at = from; at < to; at += 2) {
            sum += BigEndian.get16(segment, at);
            sum = (sum & 0xFFFF) + (sum >> 16);
        }
        return sum;
    }

    private static int port(byte[] bytes, int at) {
        return (bytes[at] & 0xFF) << 8 | (bytes[at + 1] & 0xFF);
    }
}
