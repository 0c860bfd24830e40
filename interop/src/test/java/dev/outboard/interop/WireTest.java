package dev.outboard.interop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What went over the wire, captured at the guest, while a conversation succeeded.
@Interop
class WireTest {
    private static final int DO_NOT_FRAGMENT = 0x4000;

    @TempDir private Path directory;
    private final TestBeds beds;

    WireTest(TestBeds beds) {
        this.beds = beds;
    }

    @Test
    @Requirement("ROCE-SOCK-4")
    void takesDatagramsWithoutChecksumOverIpv6() throws IOException {
        List<CapturedPacket> packets = packets(Link.IPV6_1024, Link.IPV6_1024.guest());

        assertThat(packets).isNotEmpty().allMatch(packet -> packet.udpChecksum() == 0);
    }

    /// The guest checks the ICRC of every packet, identification included, and dropped none.
    @Test
    @Requirement({"ROCE-ICRC-3", "ROCE-ICRC-4", "ROCE-SOCK-2"})
    void identifiesIpv4PacketsAsTheirCrcSays() throws IOException {
        List<CapturedPacket> packets = packets(Link.IPV4_1024, Link.IPV4_1024.host());

        assertThat(packets)
                .isNotEmpty()
                .allMatch(packet -> packet.fragmentation() == DO_NOT_FRAGMENT)
                .anyMatch(packet -> packet.identification() == 0)
                .allMatch(packet -> packet.identification() < 128);
    }

    private List<CapturedPacket> packets(Link link, String sender) throws IOException {
        TestBed bed = beds.of(link);
        Path file = directory.resolve("packets.pcap");
        Conversation conversation = new Conversation(beds, link);
        bed.startCapture(file);
        try {
            conversation.guestCalls(
                    "rstream -T v -s {host} -I 1 -C 2 -S 100000",
                    OurProgram.test(
                            StreamPeer.class, "serve", "{host}", "-", "7471", "1", "2", "100000"));
        } finally {
            bed.stopCapture();
        }
        InetAddress source = InetAddress.getByName(sender);
        return CapturedPacket.read(file).stream()
                .filter(packet -> packet.source().equals(source))
                .toList();
    }
}
