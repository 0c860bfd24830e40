package dev.outboard.fabric.roce.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.pcapng.LinkType;
import dev.outboard.fabric.pcapng.PcapngReader.CapturedPacket;
import dev.outboard.fabric.roce.wire.Gid;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DecoderTest {
    private static final int ETHERNET_HEADER = 14;

    private final Map<Gid, Host> hosts = new HashMap<>();
    private final Decoder decoder = new Decoder(hosts);

    /// The last packet of a capture of Linux, from the IP header on.
    private static byte[] ipPacket(String capture) {
        CapturedPacket last = RealCaptureTest.packets(capture).getLast();
        return Arrays.copyOfRange(last.bytes(), ETHERNET_HEADER, last.bytes().length);
    }

    private static byte[] behind(String hexHeader, byte[] packet) {
        byte[] header = java.util.HexFormat.of().parseHex(hexHeader);
        return ByteBuffer.allocate(header.length + packet.length).put(header).put(packet).array();
    }

    @ParameterizedTest
    @CsvSource({
        "ETHERNET, 020000000001020000000002 0800",
        "ETHERNET, 020000000001020000000002 8100 0005 0800",
        "ETHERNET, 020000000001020000000002 88a8 0005 8100 0007 0800",
        "LINUX_COOKED, 0004 0001 0006 0200000000010000 0800",
        "LINUX_COOKED_2, 0800 0000 00000002 0001 00 06 0200000000010000",
        "NULL_LOOPBACK, 02000000",
        "LOOPBACK, 00000002",
        "RAW_IP, ''",
        "IPV4, ''"
    })
    void findsThePacketBelowEveryHeader(LinkType linkType, String header) {
        byte[] bytes = behind(header.replace(" ", ""), ipPacket("rc-pingpong"));

        RocePacket packet = decoder.decode(5, linkType.number(), bytes);

        assertThat(packet).isNotNull();
        assertThat(packet.source().toString()).startsWith("10.77.0.");
        assertThat(hosts.get(packet.source()).intact).isOne();
    }

    @Test
    void findsThePacketInIpv6() {
        RocePacket packet = decoder.decode(5, LinkType.IPV6.number(), ipPacket("rc-pingpong-ipv6"));

        assertThat(packet).isNotNull();
        assertThat(packet.source().toString()).startsWith("fd00:77:");
        assertThat(hosts.get(packet.source()).intact).isOne();
    }

    @Test
    void countsWhatItDoesNotLookAt() {
        byte[] good = ipPacket("rc-pingpong");
        byte[] damaged = good.clone();
        damaged[damaged.length - 1] ^= 1;
        byte[] tcp = good.clone();
        tcp[9] = 6;
        byte[] fragment = good.clone();
        fragment[6] = 0x20;
        byte[] unsegmented = good.clone();
        ByteBuffer.wrap(unsegmented).putShort(24, (short) 30_000);
        byte[] otherOpcode = good.clone();
        otherOpcode[28] = 0x24;

        assertThat(decoder.decode(0, 147, good)).isNull();
        for (byte[] bytes :
                new byte[][] {
                    damaged,
                    tcp,
                    fragment,
                    unsegmented,
                    otherOpcode,
                    Arrays.copyOf(good, 30),
                    new byte[0]
                }) {
            assertThat(decoder.decode(0, LinkType.RAW_IP.number(), bytes)).isNull();
        }
        assertThat(decoder.skipped())
                .containsOnly(
                        Map.entry(Skip.OTHER_LINK_TYPE, 1L),
                        Map.entry(Skip.WRONG_CHECKSUM, 1L),
                        Map.entry(Skip.NOT_ROCE, 2L),
                        Map.entry(Skip.FRAGMENT, 1L),
                        Map.entry(Skip.UNSEGMENTED, 1L),
                        Map.entry(Skip.OTHER_TRANSPORT, 1L),
                        Map.entry(Skip.CUT_SHORT, 1L));
    }

    /// Captures of the first bytes of each packet hold all that counts.
    @Test
    void readsPacketsOfWhichOnlyTheHeadersWereCaptured() {
        byte[] headers = Arrays.copyOf(ipPacket("rc-pingpong"), 28 + 16);

        RocePacket packet = decoder.decode(0, LinkType.RAW_IP.number(), headers);

        assertThat(packet).isNotNull();
        assertThat(hosts).isEmpty();
    }
}
