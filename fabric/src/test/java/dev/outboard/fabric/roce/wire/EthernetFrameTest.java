package dev.outboard.fabric.roce.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.MacAddress;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Which frames carry a RoCE packet to an address, and how many bytes of it.
class EthernetFrameTest {
    private static final MacAddress THERE = MacAddress.of("02:00:0a:4d:00:02");
    private static final MacAddress HERE = MacAddress.of("fe:dc:ba:98:76:54");

    @ParameterizedTest
    @MethodSource("dev.outboard.fabric.roce.wire.GoldenPacket#all")
    void theHeaderNamesBothPortsAndTheVersionOfIp(GoldenPacket golden) {
        MemorySegment frame = frame(golden);
        byte[] header = Arrays.copyOf(frame.toArray(ValueLayout.JAVA_BYTE), 14);
        boolean isIpv4 = golden.ipLength() == 20;

        assertThat(HexFormat.of().formatHex(header))
                .isEqualTo("02000a4d0002" + "fedcba987654" + (isIpv4 ? "0800" : "86dd"));
        assertThat(EthernetFrame.etherType(frame)).isEqualTo(isIpv4 ? 0x0800 : 0x86DD);
    }

    @ParameterizedTest
    @MethodSource("dev.outboard.fabric.roce.wire.GoldenPacket#all")
    void aPacketIsFoundAndSoIsItsSender(GoldenPacket golden) {
        MemorySegment frame = frame(golden);

        assertThat(payload(golden, frame)).isEqualTo(golden.length());
        assertThat(IpHeaders.source(frame, 14)).isEqualTo(golden.path().source());
        assertThat(IpHeaders.sourcePort(frame, 14)).isEqualTo(golden.path().sourcePort());
        assertThat(IpHeaders.trafficClass(frame, 14)).isEqualTo(golden.path().trafficClass());
    }

    @ParameterizedTest
    @MethodSource("dev.outboard.fabric.roce.wire.GoldenPacket#all")
    void whatFillsTheFrameUpIsNoPayload(GoldenPacket golden) {
        MemorySegment frame = MemorySegment.ofArray(new byte[(int) frame(golden).byteSize() + 20]);
        frame.copyFrom(frame(golden));

        assertThat(payload(golden, frame)).isEqualTo(golden.length());
    }

    @ParameterizedTest
    @MethodSource("dev.outboard.fabric.roce.wire.GoldenPacket#all")
    void aFrameThatEndsTooSoonIsNone(GoldenPacket golden) {
        int length = (int) frame(golden).byteSize();
        for (int missing : new int[] {1, golden.length(), golden.length() + 1, length - 14}) {
            assertThat(payload(golden, frame(golden).asSlice(0, length - missing)))
                    .as("%d bytes missing", missing)
                    .isNegative();
        }
    }

    /// A packet of no bytes would be one, if its headers said so.
    @ParameterizedTest
    @CsvSource({"rc_ack, 24", "v6_rc_ack, 44"})
    void headersAloneAreAPacketOfNoBytes(String name, int udpLength) {
        GoldenPacket golden = GoldenPacket.named(name);
        MemorySegment frame = frame(golden);
        BigEndian.put16(frame, 14 + udpLength, 8);
        int headers = 14 + golden.ipLength() + 8;

        assertThat(payload(golden, frame.asSlice(0, headers))).isZero();
        BigEndian.put16(frame, 14 + udpLength, 7);
        assertThat(payload(golden, frame)).isNegative();
    }

    @ParameterizedTest
    @CsvSource({
        "rc_ack, 12, 0806, ARP",
        "rc_ack, 12, 86dd, the other version of IP",
        "rc_ack, 14, 46, options",
        "rc_ack, 20, 2000, the first of several fragments",
        "rc_ack, 20, 0001, a later fragment",
        "rc_ack, 23, 06, TCP",
        "rc_ack, 30, 0a0b0c0d, another address",
        "rc_ack, 36, 12b6, another port",
        "v6_rc_ack, 12, 0800, the other version of IP",
        "v6_rc_ack, 14, 4f, another version in the header",
        "v6_rc_ack, 20, 2c, a fragment",
        "v6_rc_ack, 38, 1020304050607080, another prefix",
        "v6_rc_ack, 46, 1020304050607080, another host",
        "v6_rc_ack, 56, 12b6, another port",
    })
    void anythingElseIsNone(String name, int at, String bytes, String what) {
        GoldenPacket golden = GoldenPacket.named(name);
        MemorySegment frame = frame(golden);
        byte[] changed = HexFormat.of().parseHex(bytes);
        frame.asSlice(at).copyFrom(MemorySegment.ofArray(changed));
        if (golden.ipLength() == 20) {
            checkAgain(frame);
        }

        assertThat(payload(golden, frame)).as(what).isNegative();
    }

    @ParameterizedTest
    @CsvSource({"16", "18", "22", "24", "26"})
    void anIpHeaderWithAWrongChecksumIsNone(int at) {
        GoldenPacket golden = GoldenPacket.named("rc_ack");
        MemorySegment frame = frame(golden);
        BigEndian.put16(frame, at, BigEndian.get16(frame, at) ^ 0x0100);

        assertThat(payload(golden, frame)).isNegative();
    }

    private static int payload(GoldenPacket golden, MemorySegment frame) {
        return EthernetFrame.rocePayloadLength(
                frame, (int) frame.byteSize(), golden.path().destination());
    }

    private static MemorySegment frame(GoldenPacket golden) {
        MemorySegment frame = MemorySegment.ofArray(new byte[14 + golden.bytes().length]);
        EthernetFrame.writeHeader(frame, THERE, HERE, golden.path());
        frame.asSlice(14).copyFrom(MemorySegment.ofArray(golden.bytes()));
        return frame;
    }

    /// Gives the IPv4 header the checksum that it should have (RFC 1071).
    private static void checkAgain(MemorySegment frame) {
        BigEndian.put16(frame, 24, 0);
        int sum = 0;
        for (int at = 14; at < 34; at += 2) {
            sum += BigEndian.get16(frame, at);
        }
        BigEndian.put16(frame, 24, ~((sum & 0xFFFF) + (sum >> 16)));
    }
}
