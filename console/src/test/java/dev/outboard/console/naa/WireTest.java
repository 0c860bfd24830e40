package dev.outboard.console.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.console.Execution;
import dev.outboard.console.OutboardProcess;
import dev.outboard.fabric.contract.roce.CapturedPacket;
import dev.outboard.testkit.Requirement;
import dev.outboard.testkit.Tshark;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What two processes exchange: one RPC with two regions that are sent and returned.
class WireTest {
    private static final int SEND_ONLY = 0x04;
    private static final int WRITE_FIRST = 0x06;
    private static final int WRITE_ONLY_IMMEDIATE = 0x0b;
    private static final int ACKNOWLEDGE = 0x11;

    @TempDir private static Path directory;
    private static Path atClient;
    private static Path atNode;
    private static List<CapturedPacket> packets = List.of();

    @BeforeAll
    static void callBetweenTwoProcesses() throws IOException {
        atClient = directory.resolve("client.pcapng");
        atNode = directory.resolve("node.pcapng");
        Path large = Files.write(directory.resolve("large.bin"), new byte[100_000]);
        Path small = Files.write(directory.resolve("small.bin"), new byte[100]);
        try (OutboardProcess node = OutboardProcess.node("--capture", atNode.toString());
                OutboardProcess client =
                        node.call(
                                1,
                                "--inout",
                                large.toString(),
                                "--inout",
                                small.toString(),
                                "--capture",
                                atClient.toString())) {
            Execution call = client.awaitEnd();
            assertThat(call.exitCode()).as(call.toString()).isZero();
            node.awaitLine("client .* disconnected after 1 RPCs.*");
            node.handle().destroy();
            node.awaitEnd();
        }
        packets = CapturedPacket.readAll(atClient);
    }

    @Test
    @Requirement({"NAA-MRSP-1", "NAA-MRSP-3", "NAA-XFER-1", "NAA-XFER-3", "NAA-RET-1"})
    void oneRpcIsExactlyTheseMessages() {
        assertThat(messages())
                .containsExactly(
                        "client REQ",
                        "node REP",
                        "client RTU",
                        "client SEND solicited",
                        "node SEND solicited",
                        "client WRITE",
                        "client WRITE_WITH_IMMEDIATE solicited",
                        "node WRITE",
                        "node WRITE_WITH_IMMEDIATE solicited",
                        "client DREQ",
                        "node DREP");
    }

    @Test
    @Requirement({"NAA-SCOPE-3", "NAA-CONN-2", "NAA-DISC-1", "NAA-RET-3"})
    void thePhasesComeInOrder() {
        assertThat(messages())
                .startsWith("client REQ", "node REP", "client RTU", "client SEND solicited")
                .containsSubsequence(
                        "node SEND solicited",
                        "client WRITE",
                        "node WRITE",
                        "node WRITE_WITH_IMMEDIATE solicited")
                .endsWith("client DREQ", "node DREP");
    }

    @Test
    @Requirement("NAA-MRSP-4")
    void theNodeAcknowledgesTheRequestBeforeItAnswers() throws IOException {
        assertThatNodeAcknowledges(SEND_ONLY, SEND_ONLY);
    }

    @Test
    @Requirement("NAA-XFER-18")
    void theNodeAcknowledgesTheInputsBeforeItReturnsOutputs() throws IOException {
        assertThatNodeAcknowledges(WRITE_ONLY_IMMEDIATE, WRITE_FIRST);
    }

    /// Before it sends the first packet with opcode `answer` it acknowledges the last packet of the
    /// client's with opcode `request`.
    private static void assertThatNodeAcknowledges(int request, int answer) throws IOException {
        InetAddress client = packets.getFirst().source();
        List<CapturedPacket> seen = CapturedPacket.readAll(atNode);
        int asked =
                IntStream.range(0, seen.size())
                        .filter(i -> seen.get(i).source().equals(client))
                        .filter(i -> seen.get(i).opcode() == request)
                        .findFirst()
                        .orElseThrow();
        assertThat(
                        seen.stream()
                                .skip(asked + 1)
                                .filter(packet -> !packet.source().equals(client))
                                .takeWhile(packet -> packet.opcode() != answer))
                .anyMatch(packet ->
                        packet.opcode() == ACKNOWLEDGE && packet.psn() == seen.get(asked).psn());
    }

    @Test
    void everyPacketHasTheRightIcrcOnBothSides() throws IOException {
        assertThat(packets).hasSizeGreaterThan(50).allMatch(CapturedPacket::hasRightIcrc);
        assertThat(CapturedPacket.readAll(atNode))
                .hasSizeGreaterThan(50)
                .allMatch(CapturedPacket::hasRightIcrc);
    }

    @Test
    void tsharkDecodesEveryPacket() throws IOException, InterruptedException {
        List<String> lines = Tshark.lines("-r", atClient.toString());

        assertThat(lines).hasSameSizeAs(packets).allMatch(line -> line.contains(" RRoCE "));
        assertThat(String.join("\n", lines))
                .contains(
                        "CM: ConnectRequest",
                        "CM: ConnectReply",
                        "CM: ReadyToUse",
                        "RC Send Only",
                        "RC RDMA Write First",
                        "RC RDMA Write Only Immediate",
                        "RC Acknowledge",
                        "CM: DisconnectRequest",
                        "CM: DisconnectReply");
        assertThat(
                        Tshark.lines(
                                "-r",
                                atClient.toString(),
                                "-Y",
                                "_ws.malformed || _ws.expert.severity >= 4194304"))
                .isEmpty();
    }

    /// Everything but acknowledgements and repetitions, a line per message. A node that takes its
    /// time to accept acknowledges the REQ meanwhile, with an MRA.
    private static List<String> messages() {
        InetAddress client = packets.getFirst().source();
        Set<String> seen = new HashSet<>();
        List<String> messages = new ArrayList<>();
        for (CapturedPacket packet : packets) {
            String side = packet.source().equals(client) ? "client " : "node ";
            String name = packet.isCm() ? management(packet) : operation(packet);
            String key = side + (packet.isCm() ? name : packet.psn());
            if (!name.isEmpty() && seen.add(key)) {
                messages.add(side + name);
            }
        }
        return messages;
    }

    private static String management(CapturedPacket packet) {
        return packet.cmName().equals("MRA") ? "" : packet.cmName();
    }

    /// Named after its last packet; empty for the others and for acknowledgements.
    private static String operation(CapturedPacket packet) {
        String solicited = packet.solicited() ? " solicited" : "";
        return switch (packet.opcode()) {
            case 0x02, 0x04 -> "SEND" + solicited;
            case 0x08, 0x0a -> "WRITE" + solicited;
            case 0x09, 0x0b -> "WRITE_WITH_IMMEDIATE" + solicited;
            case 0x00, 0x01, 0x06, 0x07, 0x11 -> "";
            default -> "opcode " + packet.opcode();
        };
    }
}
