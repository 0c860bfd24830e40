package dev.outboard.fabric.roce.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.testkit.Golden;
import dev.outboard.testkit.Requirement;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// What is on the wire, seen from the wire. Each packet's ICRC vouches for the header that the
/// kernel wrote; the golden packets say what both have to be.
class WireTest {
    private static final String PACKET = "packet: ";
    private static final List<String> SENT =
            List.of(
                    "plain_rc_send_only",
                    "plain_gso_seg0",
                    "plain_gso_seg1",
                    "plain_gso_seg2",
                    "plain_rc_send_only",
                    "plain_rc_send_only");

    private static final List<String> REPORT = new ArrayList<>();

    @BeforeAll
    static void sendThroughANetworkOfOurOwn() throws Exception {
        List<String> shell = new ArrayList<>(List.of("unshare", "--net", "sh", "-ec"));
        if (!"root".equals(System.getProperty("user.name"))) {
            shell.addAll(1, List.of("--user", "--map-root-user"));
        }
        String setUp =
                String.join(
                        " && ",
                        "ip link set lo up",
                        "ip tuntap add dev " + WireProgram.INTERFACE + " mode tun",
                        "ip address add 10.77.0.100/24 dev " + WireProgram.INTERFACE,
                        "ip link set " + WireProgram.INTERFACE + " mtu 1500 up");
        ChildJvm.assume(
                ChildJvm.join(shell, List.of(setUp)),
                "no network of our own with a TUN interface can be made here");

        String program =
                String.join(
                        " ",
                        ChildJvm.command(
                                WireProgram.class,
                                ChildJvm.classPathOf(
                                        UdpSocket.class, WireProgram.class, Golden.class)));
        REPORT.addAll(ChildJvm.run(ChildJvm.join(shell, List.of(setUp + " && exec " + program))));
    }

    @Test
    @Requirement({"ROCE-ICRC-3", "ROCE-ICRC-4"})
    void packetsAreThoseThatAForeignReceiverAccepted() {
        List<byte[]> packets = packets();

        assertThat(packets).hasSize(SENT.size());
        for (int i = 0; i < packets.size(); i++) {
            assertThat(HexFormat.of().formatHex(withoutUdpChecksum(packets.get(i))))
                    .as(SENT.get(i))
                    .isEqualTo(
                            HexFormat.of()
                                    .formatHex(withoutUdpChecksum(Golden.packet(SENT.get(i)))));
        }
    }

    @Test
    @Requirement("ROCE-ICRC-3")
    void lonePacketsHaveIdentificationZeroAndDontFragment() {
        List<byte[]> packets = packets();

        for (int lone : new int[] {0, 4, 5}) {
            assertThat(ByteBuffer.wrap(packets.get(lone)).getShort(4)).isZero();
            assertThat(ByteBuffer.wrap(packets.get(lone)).getShort(6)).isEqualTo((short) 0x4000);
        }
    }

    @Test
    @Requirement("ROCE-ICRC-4")
    void thePacketsOfARunAreNumberedByTheKernel() {
        assertThat(REPORT).contains("sendmsg calls: 3");
        for (int i = 1; i <= 3; i++) {
            assertThat(ByteBuffer.wrap(packets().get(i)).getShort(4)).isEqualTo((short) (i - 1));
        }
    }

    @Test
    @Requirement("ROCE-PKT-1")
    void everyPacketGoesToPort4791() {
        assertThat(packets())
                .allSatisfy(packet ->
                        assertThat(ByteBuffer.wrap(packet).getShort(22))
                                .isEqualTo((short) Path.DESTINATION_PORT));
    }

    @Test
    @Requirement("ROCE-SOCK-8b")
    void packetsOverTheMtuAreReportedAndNotFragmented() {
        assertThat(REPORT).contains("too long alone: 1 EMSGSIZE");
        // Older kernels refuse to segment the run, and then each of its packets.
        assertThat(REPORT).anyMatch(line -> line.matches("too long in a run: [23] EMSGSIZE"));
        assertThat(packets()).allMatch(packet -> packet.length <= 1500);
    }

    @Test
    void aFullSocketDropsWhatIsFinishedAndAsksForNoMore() {
        assumeTrue(
                REPORT.stream().anyMatch(line -> line.startsWith("full: ")),
                "this kernel cannot slow an interface down (tc, sch_tbf)");

        assertThat(REPORT)
                .containsSubsequence(
                        "full: EAGAIN",
                        "dropped: " + Transmitter.MAX_RUN_PACKETS,
                        "ended the turn early: true",
                        "room in the next turn: true");
    }

    private static List<byte[]> packets() {
        return REPORT.stream()
                .filter(line -> line.startsWith(PACKET))
                .map(line -> HexFormat.of().parseHex(line.substring(PACKET.length())))
                .toList();
    }

    /// The golden packets were captured before or after the interface completed it.
    private static byte[] withoutUdpChecksum(byte[] packet) {
        return ByteBuffer.wrap(packet.clone()).putShort(26, (short) 0).array();
    }
}
