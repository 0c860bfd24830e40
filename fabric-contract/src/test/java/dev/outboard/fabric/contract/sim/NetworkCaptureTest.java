package dev.outboard.fabric.contract.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.AddressHandle;
import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FlowMatch;
import dev.outboard.fabric.MacAddress;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.contract.DatagramEnd;
import dev.outboard.fabric.contract.RawPacketEnd;
import dev.outboard.fabric.contract.VerbsEnd;
import dev.outboard.fabric.sim.SimNetwork;
import dev.outboard.testkit.CaptureFile;
import dev.outboard.testkit.Tshark;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Captures of a simulated network, and their replay.
class NetworkCaptureTest {
    private static final int TYPE = 0x88B5;
    private static final MacAddress UNKNOWN = MacAddress.of("02:ff:00:00:00:01");
    private static final int ETHERNET = 1;

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private Path file = Path.of("");
    private Path second = Path.of("");

    @BeforeEach
    void nameTheFiles(@TempDir Path directory) {
        file = directory.resolve("first.pcapng");
        second = directory.resolve("second.pcapng");
    }

    @AfterEach
    void close() throws Exception {
        closeAll();
    }

    private void closeAll() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    private <T extends AutoCloseable> T opened(T each) {
        open.push(each);
        return each;
    }

    private Device device(String uri) {
        return opened(Fabric.open("sim://captured/" + uri));
    }

    private RawPacketEnd raw(Device device) {
        return opened(new RawPacketEnd(device));
    }

    private static List<byte[]> packets(Path file) {
        return CaptureFile.read(file).stream().map(CaptureFile.Entry::packet).toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.%d", "fd00::%d"})
    @SuppressWarnings("try") // closed before its time
    void tsharkShowsPacketsAndRawFrames(String address) throws Exception {
        Device near = device(address.formatted(1) + "?latency=10us");
        Device far = device(address.formatted(2));
        RawPacketEnd sender = raw(near);
        VerbsEnd writer = opened(new VerbsEnd(near).create());
        VerbsEnd target = opened(new VerbsEnd(far).create());
        VerbsEnd.connect(writer, target);
        try (SimNetwork.Capture capture = SimNetwork.of(near).capture(file)) {
            sender.sendAndAwait(1, sender.frame(MacAddress.BROADCAST, TYPE, 100));
            writer.post(
                    writer.message(7)
                            .write(target.region().address(), target.region().remoteKey()));
            assertThat(writer.status()).isEqualTo("7 SUCCESS");
            sender.sendAndAwait(2, sender.frame(sender.address(), TYPE, 9018));
            capture.close();
            sender.sendAndAwait(3, sender.frame(MacAddress.BROADCAST, TYPE, 100));
        }

        String from = sender.address().toString();
        String to = far.macAddress().orElseThrow().toString();
        String ip = near.address().getHostAddress().contains(":") ? "ipv6" : "ip";
        String checked = ip.equals("ip") ? "1\t1" : "\t1";
        assertThat(
                        Tshark.fields(
                                file,
                                "frame.protocols",
                                "eth.src",
                                "eth.dst",
                                "eth.type",
                                "frame.len",
                                "infiniband.bth.opcode",
                                "ip.checksum.status",
                                "udp.checksum.status"))
                .containsExactly(
                        "eth:ethertype:data\t%s\tff:ff:ff:ff:ff:ff\t0x88b5\t100\t\t\t"
                                .formatted(from),
                        "eth:ethertype:%s:udp:infiniband:data\t%s\t%s\t%s\t%d\t10\t%s"
                                .formatted(ip, from, to, type(ip), length(ip, 40), checked),
                        "eth:ethertype:%s:udp:infiniband\t%s\t%s\t%s\t%d\t17\t%s"
                                .formatted(ip, to, from, type(ip), length(ip, 20), checked),
                        "eth:ethertype:data\t%s\t%s\t0x88b5\t9018\t\t\t".formatted(from, from));
    }

    private static String type(String ip) {
        return ip.equals("ip") ? "0x0800" : "0x86dd";
    }

    private static int length(String ip, int roce) {
        return 14 + (ip.equals("ip") ? 20 : 40) + 8 + roce;
    }

    @Test
    void aReplayRepeatsFramesAndTheTimesBetweenThem() throws Exception {
        Device near = device("10.0.0.1");
        RawPacketEnd sender = raw(near);
        SimNetwork network = SimNetwork.of(near);
        opened(network.capture(file));
        List<byte[]> sent = new ArrayList<>();
        for (int i = 0; i < RawPacketEnd.SLOTS; i++) {
            byte[] frame = sender.frame(UNKNOWN, TYPE, 60 + 471 * i);
            sent.add(frame);
            sender.sendAndAwait(1, frame);
            assertThat(sender.completions().await(10_000L * i)).isFalse();
        }
        closeAll();
        assertThat(packets(file)).containsExactlyElementsOf(sent);

        Device listener = device("10.0.0.9?clock=stepped");
        RawPacketEnd end = raw(listener);
        end.queuePair().createFlow(FlowMatch.all());
        network = SimNetwork.of(listener);
        network.runUntil(777_000);
        opened(network.capture(second));
        try (SimNetwork.Replay replay = network.replay(file)) {
            assertThat(replay.frames()).isEqualTo(RawPacketEnd.SLOTS);
            assertThat(replay.sent()).isZero();
            for (int i = 0; i < RawPacketEnd.SLOTS; i++) {
                end.postReceive(i);
            }
            network.runUntil(network.nowNanos() + 1_000_000_000);
            assertThat(replay.sent()).isEqualTo(RawPacketEnd.SLOTS);
            assertThat(network.step()).isFalse();
            for (byte[] frame : sent) {
                assertThat(end.receivedFrame()).isEqualTo(frame);
            }
        }
        closeAll();
        List<CaptureFile.Entry> once = CaptureFile.read(file);
        List<CaptureFile.Entry> again = CaptureFile.read(second);
        assertThat(packets(second)).containsExactlyElementsOf(sent);
        for (int i = 0; i < RawPacketEnd.SLOTS; i++) {
            assertThat(again.get(i).epochNanos() - 777_000)
                    .isEqualTo(once.get(i).epochNanos() - once.getFirst().epochNanos());
        }
    }

    /// In a replay somebody else sends what a device sent before: the same bytes, with the same
    /// address and queue pair number.
    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.%d", "fd00::%d"})
    void packetsOfAReplayGoToTheTransport(String address) throws Exception {
        Device far = device(address.formatted(2) + "?seed=5");
        Device near = device(address.formatted(1));
        DatagramEnd receiver = opened(new DatagramEnd(far));
        DatagramEnd sender = opened(new DatagramEnd(near));
        SimNetwork network = SimNetwork.of(near);
        opened(network.capture(file));
        sender.fill(0, 200, 4);
        try (AddressHandle handle =
                sender.domain().createAddressHandle(AddressVector.to(far.address()))) {
            sender.post(
                    new SendRequest()
                            .to(handle, receiver.queuePair().number(), DatagramEnd.QUEUE_KEY)
                            .payload(sender.region(), 0, 200));
            assertThat(sender.awaitCompletion().byteCount()).isEqualTo(200);
        }
        byte[] content = sender.bytes(0, 200);
        closeAll();

        far = device(address.formatted(2) + "?seed=5");
        receiver = opened(new DatagramEnd(far));
        receiver.postReceive(1, 0, 400);
        try (SimNetwork.Replay replay = SimNetwork.of(far).replay(file)) {
            assertThat(receiver.awaitCompletion().byteCount())
                    .isEqualTo(DatagramEnd.ROUTE_HEADER + 200);
            assertThat(replay.sent()).isEqualTo(1);
        }
        assertThat(receiver.bytes(DatagramEnd.ROUTE_HEADER, 200)).isEqualTo(content);
        assertThat(far.counters()).containsEntry("received.frames", 1L);
        assertThat(far.counters()).containsEntry("discarded.no-flow", 0L);
    }

    @Test
    void aDamagedPacketOfAReplayIsFoundByItsCheck() throws Exception {
        packetsOfAReplayGoToTheTransport("10.0.0.%d");
        closeAll();
        byte[] capture = Files.readAllBytes(file);
        // In the payload of the only packet, behind Ethernet, IP, UDP, BTH and DETH.
        int block = new String(capture, StandardCharsets.ISO_8859_1).indexOf("\0\0\0\6\0\0");
        capture[block + 28 + 14 + 28 + 20 + 50] ^= 1;
        Files.write(file, capture);
        Device far = device("10.0.0.2?seed=5");
        try (SimNetwork.Replay replay = SimNetwork.of(far).replay(file)) {
            SimNetwork network = SimNetwork.of(far);
            network.runUntil(network.nowNanos() + 1_000_000);
            assertThat(replay.sent()).isEqualTo(1);
        }
        assertThat(far.counters())
                .containsEntry("discarded.bad-icrc", 1L)
                .containsEntry("discarded.no-flow", 0L);
    }

    @Test
    void aReplayRunsByTheClockOfTheWallToo() throws Exception {
        Files.write(file, capture(ETHERNET, 14, 14, 0, 1_000_000));
        Device device = device("10.0.0.1?clock=real");
        RawPacketEnd end = raw(device);
        end.queuePair().createFlow(FlowMatch.all());
        end.postReceive(1);
        end.postReceive(2);
        SimNetwork network = SimNetwork.of(device);
        long start = network.nowNanos();
        try (SimNetwork.Replay replay = network.replay(file)) {
            assertThat(end.receivedFrame()).hasSize(60);
            assertThat(end.receivedFrame()).hasSize(60);
            assertThat(replay.sent()).isEqualTo(2);
            assertThat(network.nowNanos() - start).isGreaterThanOrEqualTo(1_000_000_000);
        }
    }

    @Test
    void aReplayThatIsClosedSendsNothingMore() throws Exception {
        Files.write(file, capture(ETHERNET, 14, 14, 0, 1_000_000, 2_000_000));
        SimNetwork network = SimNetwork.of(device("10.0.0.1?clock=stepped"));
        SimNetwork.Replay replay = network.replay(file);
        network.runUntil(1_500_000_000);
        assertThat(replay.sent()).isEqualTo(2);
        replay.close();
        replay.close();
        network.runUntil(3_000_000_000L);
        assertThat(replay.sent()).isEqualTo(2);
        assertThat(network.counters()).containsEntry("sent", 2L);
        assertThat(network.nextNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aFrameThatIsEarlierThanTheOneBeforeLeavesWithIt() throws Exception {
        Files.write(file, capture(ETHERNET, 14, 14, 5, 1_000_005, 3, Long.MAX_VALUE >> 11));
        SimNetwork network = SimNetwork.of(device("10.0.0.1?clock=stepped"));
        try (SimNetwork.Replay replay = network.replay(file)) {
            network.runUntil(999_999_999);
            assertThat(replay.sent()).isEqualTo(1);
            network.runUntil(1_000_000_000);
            assertThat(replay.sent()).isEqualTo(3);
        }
    }

    @Test
    void whatIsNoWholeEthernetFrameIsRefusedBeforeAnythingIsSent() throws IOException {
        SimNetwork network = SimNetwork.of(device("10.0.0.1"));
        assertRefused(network, capture(101, 60, 60, 0), "link type 101; valid: 1");
        assertRefused(network, capture(ETHERNET, 60, 61, 0), "60 bytes of 61 were captured");
        assertRefused(network, capture(ETHERNET, 13, 13, 0), "a frame has 13 bytes; valid: 14 to");
        assertRefused(network, capture(ETHERNET, 9019, 9019, 0), "9019 bytes; valid: at most 9018");
        byte[] good = capture(ETHERNET, 60, 60, 0);
        assertRefused(network, Arrays.copyOf(good, good.length - 1), "ends at byte");
        assertThat(network.counters()).containsEntry("sent", 0L);
        assertThatThrownBy(() -> network.replay(file.resolveSibling("absent")))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("absent");
        assertThatThrownBy(() -> network.capture(file.resolve("below-a-file")))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("below-a-file");
    }

    private void assertRefused(SimNetwork network, byte[] content, String what) throws IOException {
        Files.write(file, content);
        assertThatThrownBy(() -> network.replay(file))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("first.pcapng")
                .hasMessageContaining("block at byte 48")
                .hasMessageContaining(what);
    }

    /// A capture of zeros, a frame for each time in microseconds.
    private static byte[] capture(int linkType, int length, int original, long... micros) {
        int padded = (length + 3) & ~3;
        ByteBuffer bytes = ByteBuffer.allocate(48 + micros.length * (32 + padded));
        bytes.putInt(0x0A0D0D0A).putInt(28).putInt(0x1A2B3C4D).putInt(0x10000).putLong(-1);
        bytes.putInt(28).putInt(1).putInt(20).putInt(linkType << 16).putInt(0).putInt(20);
        for (long time : micros) {
            bytes.putInt(6).putInt(32 + padded).putInt(0).putLong(time);
            bytes.putInt(length).putInt(original).put(new byte[padded]).putInt(32 + padded);
        }
        return bytes.array();
    }

    @Test
    void theNetworkEndsItsCapturesAndReplays() throws Exception {
        Files.write(file, capture(ETHERNET, 60, 60, 0, 1_000));
        Device device = device("10.0.0.1");
        SimNetwork network = SimNetwork.of(device);
        SimNetwork.Capture capture = network.capture(second);
        SimNetwork.Replay replay = network.replay(file);
        network.runUntil(network.nowNanos() + 1);
        device.close();
        assertThat(packets(second)).hasSize(1);
        assertThat(replay.sent()).isEqualTo(1);
        capture.close();
        replay.close();
    }
}
