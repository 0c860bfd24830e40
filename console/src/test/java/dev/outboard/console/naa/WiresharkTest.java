package dev.outboard.console.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.console.Execution;
import dev.outboard.console.OutboardProcess;
import dev.outboard.fabric.contract.roce.CapturedPacket;
import dev.outboard.naa.MrspException;
import dev.outboard.naa.ReturnCode;
import dev.outboard.testkit.Repository;
import dev.outboard.testkit.Seeds;
import dev.outboard.testkit.Tshark;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The dissector in `contrib/wireshark`, on what a node and its clients exchange, and on worse.
class WiresharkTest {
    private static final Path SCRIPT = Repository.root().resolve("contrib/wireshark/naaice.lua");

    private static final int SEND_ONLY = 0x04;
    private static final int HEADERS = 20 + 8 + 12;
    private static final int ICRC = 4;

    @TempDir private static Path directory;
    private static Path capture;
    private static String port = "";

    @BeforeAll
    static void callANode() throws IOException {
        Tshark.assumeInstalled();
        capture = directory.resolve("node.pcapng");
        Path bytes = Files.write(directory.resolve("bytes"), new byte[100]);
        try (OutboardProcess node =
                OutboardProcess.node("--max-memory", "1MiB", "--capture", capture.toString())) {
            port = node.address().substring(node.host().length() + 1);
            call(node, 0, "1", "--inout", bytes.toString());
            call(node, 0, "1", "--inout", bytes.toString(), "--dialect", "ap1-2023");
            call(node, 1, "99", "--in", bytes.toString());
            call(node, 1, "3", "--in", bytes.toString(), "--out", "2MiB:" + bytes);
            call(node, 0, "1", manyRegions());
            node.handle().destroy();
            node.awaitEnd();
        }
    }

    private static String[] manyRegions() throws IOException {
        List<String> words = new ArrayList<>();
        for (int i = 0; i < 255; i++) {
            Path file = Files.write(directory.resolve("region" + i), new byte[] {(byte) i});
            words.addAll(List.of("--inout", file.toString()));
        }
        return words.toArray(String[]::new);
    }

    private static void call(OutboardProcess node, int exitCode, String function, String... more) {
        List<String> words = new ArrayList<>(List.of("naa", "call", node.address(), "--function"));
        words.add(function);
        words.addAll(List.of(more));
        Execution run = Execution.ofOutboard(words.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.toString()).isEqualTo(exitCode);
    }

    @Test
    void namesWhatEveryMessageMeans() throws IOException, InterruptedException {
        assertThat(meanings(capture))
                .containsSubsequence(
                        "request for 1 region",
                        "advertisement of 1 region",
                        "call of function 1",
                        "result, success",
                        "request for 2 regions",
                        "advertisement of 2 regions",
                        "region 0",
                        "call of function 1",
                        "result, success",
                        "call of function 99",
                        "result, return code " + ReturnCode.explain(ReturnCode.NOT_AVAILABLE),
                        "request for 2 regions",
                        "error " + MrspException.explain(MrspException.NO_MEMORY),
                        "request for 255 regions",
                        "advertisement of 255 regions",
                        "region 253",
                        "call of function 1",
                        "region 253",
                        "result, success");
    }

    @Test
    void tellsTheSameWhenItReadsThePacketsTwice() throws IOException, InterruptedException {
        assertThat(meanings(capture, "-2")).isEqualTo(meanings(capture));
    }

    @Test
    void knowsASessionWithoutItsConnectionRequest() throws IOException, InterruptedException {
        List<byte[]> rest =
                CapturedPacket.readAll(capture).stream()
                        .filter(packet -> !packet.isCm())
                        .map(CapturedPacket::bytes)
                        .toList();

        assertThat(meanings(write("rest.pcap", rest))).isEqualTo(meanings(capture));
    }

    @Test
    void showsTheFieldsOfRegionsAndRpcs() throws IOException, InterruptedException {
        assertThat(fields("naaice.type == 1", "flags", "size", "naa_address", "dialect"))
                .contains("0x0c\t100\t0x0000000000000000\tupstream-2026")
                .contains("0x00,0x00\t8,100\t0x0000000000000000,0x0000000000000000\tap1-2023");
        assertThat(fields("naaice.function", "function", "immediate", "user_bytes", "dialect"))
                .contains("1\t0x00000081\t00 00 00\tupstream-2026", "1\t0x00000001\t\tap1-2023")
                .contains("99\t0x000000e3\t00 00 00\tupstream-2026");
        assertThat(fields("naaice.return_code && naaice.request_in", "return_code", "immediate"))
                .contains("0x00000000\t0x00000000", "0x00000001\t0x00000100");
    }

    @Test
    void saysWhatIsWrongWithAMessage() throws IOException, InterruptedException {
        List<String> messages =
                List.of(
                        "02010000" + "00".repeat(12) + "00000001",
                        "01020000",
                        "01000000",
                        "0101",
                        "",
                        "03010000",
                        "00ff0000",
                        "01010000" + "ff" + "00".repeat(23),
                        "01010000" + "01" + "00".repeat(15) + "0000000100000010");

        assertThat(findings(messages))
                .containsExactly(
                        "",
                        "4 bytes instead of 52 for 2 regions",
                        "There is no message without regions",
                        "A message has 4 bytes at least, not 2",
                        "A message has 4 bytes at least, not 0",
                        "There is no message of type 3",
                        "Region setup failed: " + MrspException.explain(MrspException.MALFORMED),
                        "Reserved flags are set",
                        "An internal region exists on the NAA only and has no rkey");
    }

    @Test
    void survivesEveryDamage() {
        Seeds.campaign(
                3,
                seed ->
                        assertThat(dissect(damaged(seed), "-O", "naaice"))
                                .anyMatch(line -> line.startsWith("NAAICE"))
                                .noneMatch(line -> line.contains("Lua")));
    }

    @Test
    void hasTheWordsThatTheProgramHas() throws IOException {
        String script = Files.readString(SCRIPT);
        for (int code = 0; code <= 0xff; code++) {
            assertThat(script).contains(words(ReturnCode.explain(code)));
            if (code > 0) {
                assertThat(script).contains(words(MrspException.explain(code)));
            }
        }
    }

    private static String words(String explanation) {
        return explanation.replaceFirst("0x.. \\((.*)\\)", "\"$1\"");
    }

    /// The expert information about each of these messages, which the first client sends once its
    /// connection is established.
    private static List<String> findings(List<String> messages)
            throws IOException, InterruptedException {
        List<CapturedPacket> all = CapturedPacket.readAll(capture);
        CapturedPacket first =
                all.stream()
                        .filter(packet -> packet.opcode() == SEND_ONLY)
                        .findFirst()
                        .orElseThrow();
        List<byte[]> packets = new ArrayList<>();
        all.subList(0, all.indexOf(first)).forEach(packet -> packets.add(packet.bytes()));
        for (String message : messages) {
            packets.add(withPayload(first.bytes(), HexFormat.of().parseHex(message)));
        }
        return Tshark.lines(
                "-X",
                "lua_script:" + SCRIPT,
                "-o",
                "naaice.port:" + port,
                "-r",
                write("messages.pcap", packets).toString(),
                "-Y",
                "naaice",
                "-T",
                "fields",
                "-e",
                "_ws.expert.message");
    }

    private static byte[] withPayload(byte[] packet, byte[] payload) {
        int pad = -payload.length & 3;
        byte[] changed = Arrays.copyOf(packet, HEADERS + payload.length + pad + ICRC);
        Arrays.fill(changed, HEADERS, changed.length, (byte) 0);
        System.arraycopy(payload, 0, changed, HEADERS, payload.length);
        changed[HEADERS - 11] = (byte) ((changed[HEADERS - 11] & 0xcf) | (pad << 4));
        return withLengths(changed);
    }

    /// All packets, and some of them once more, cut off or with a few bytes changed.
    private static Path damaged(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        List<byte[]> packets = new ArrayList<>();
        for (CapturedPacket packet : CapturedPacket.readAll(capture)) {
            packets.add(packet.bytes());
            if (random.nextInt(4) == 0) {
                packets.add(damage(packet.bytes(), random));
            }
        }
        return write("damaged.pcap", packets);
    }

    private static byte[] damage(byte[] packet, SplittableRandom random) {
        byte[] damaged =
                random.nextBoolean()
                        ? Arrays.copyOf(packet, random.nextInt(28, packet.length + 1))
                        : packet.clone();
        for (int changes = random.nextInt(4); changes > 0 && damaged.length > 28; changes--) {
            int at = random.nextInt(28, Math.min(damaged.length, 80));
            damaged[at] = (byte) random.nextInt();
        }
        return withLengths(damaged);
    }

    /// Corrects what IP and UDP say about the length.
    private static byte[] withLengths(byte[] packet) {
        ByteBuffer.wrap(packet)
                .putShort(2, (short) packet.length)
                .putShort(24, (short) (packet.length - 20));
        return packet;
    }

    /// A pcap file of IP packets.
    private static Path write(String name, List<byte[]> packets) throws IOException {
        int bytes = packets.stream().mapToInt(packet -> 16 + packet.length).sum();
        ByteBuffer file = ByteBuffer.allocate(24 + bytes).order(ByteOrder.LITTLE_ENDIAN);
        file.putInt(0xa1b2c3d4).putShort((short) 2).putShort((short) 4);
        file.putInt(0).putInt(0).putInt(65_535).putInt(101);
        for (byte[] packet : packets) {
            file.putInt(1).putInt(0).putInt(packet.length).putInt(packet.length).put(packet);
        }
        return Files.write(directory.resolve(name), file.array());
    }

    /// What the script adds to the summary of the packets, repetitions left out.
    private static List<String> meanings(Path packets, String... options)
            throws IOException, InterruptedException {
        return dissect(packets, options).stream()
                .filter(line -> line.contains("[NAAICE: ") && !line.contains(", sent again"))
                .map(line -> line.replaceFirst(".*\\[NAAICE: (.*)].*", "$1"))
                .toList();
    }

    private static List<String> dissect(Path packets, String... options)
            throws IOException, InterruptedException {
        List<String> words =
                new ArrayList<>(List.of("-X", "lua_script:" + SCRIPT, "-r", packets.toString()));
        words.addAll(List.of(options));
        return Tshark.lines(words.toArray(String[]::new));
    }

    private static List<String> fields(String filter, String... names)
            throws IOException, InterruptedException {
        List<String> options = new ArrayList<>(List.of("-Y", filter, "-T", "fields"));
        for (String name : names) {
            options.addAll(List.of("-e", "naaice." + name));
        }
        return dissect(capture, options.toArray(String[]::new));
    }
}
