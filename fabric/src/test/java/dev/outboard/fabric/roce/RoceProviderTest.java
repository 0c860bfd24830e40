package dev.outboard.fabric.roce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.ConnectionChannel;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.DeviceInfo;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.roce.cm.CaGuid;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.spi.DeviceUri;
import dev.outboard.testkit.CaptureFile;
import dev.outboard.testkit.Eventually;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Which devices `roce://` leads to, and what their packets pass through.
class RoceProviderTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final InetSocketAddress SILENT = new InetSocketAddress("127.77.66.55", 4242);
    private static final int INBOUND = 1;
    private static final int OUTBOUND = 2;

    private final RoceProvider provider = new RoceProvider();

    private DeviceInfo describe(String uri) {
        return provider.describe(DeviceUri.parse(uri));
    }

    private static InetAddress address(String text) {
        return InetAddress.ofLiteral(text);
    }

    private static DeviceInfo at(String address) {
        return new DeviceInfo(
                new DeviceUri("roce", address(address).getHostAddress(), Map.of()).toString(),
                Optional.of(address(address)),
                false);
    }

    @Test
    void theDevicesAreLoopbackAndWhatTheInterfacesHave() throws SocketException {
        List<String> expected = new ArrayList<>();
        for (NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            for (InetAddress address : Collections.list(each.getInetAddresses())) {
                String text = address.getHostAddress().replaceFirst("%.*", "");
                if (each.isUp() && !each.isLoopback() && !address.isLinkLocalAddress()) {
                    expected.add(at(text).uri());
                }
            }
        }

        List<DeviceInfo> devices = provider.devices();

        assertThat(devices.getFirst().uri()).isEqualTo("roce://auto?peer=127.0.0.1");
        assertThat(devices.getFirst().isDrawn()).isTrue();
        assertThat(devices.subList(1, devices.size()))
                .extracting(DeviceInfo::uri)
                .containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void aDeviceIsNamedByItsAddress() {
        assertThat(describe("roce://127.0.0.5")).isEqualTo(at("127.0.0.5"));
        assertThat(describe("roce://localhost")).isEqualTo(at("127.0.0.1"));
        assertThat(provider.at(address("10.1.2.3"))).contains(at("10.1.2.3"));
        assertThat(describe("roce://127.0.0.5?peer=127.0.0.1&icrc=off&acknowledge=first").uri())
                .as("the peer chooses nothing, the options in order")
                .isEqualTo("roce://127.0.0.5?acknowledge=first&icrc=off");
        assertThat(describe("roce://auto?peer=::1")).isEqualTo(at("::1"));
        assertThat(provider.towards(address("::1"))).contains(at("::1"));
    }

    @Test
    void onIpv4LoopbackAnAddressIsDrawn() {
        DeviceInfo drawn = describe("roce://auto?peer=127.0.0.9");

        assertThat(drawn.isDrawn()).isTrue();
        assertThat(drawn.uri()).isEqualTo("roce://auto?peer=127.0.0.9");
        assertThat(drawn.address()).hasValueSatisfying(InetAddress::isLoopbackAddress);
        assertThat(provider.towards(address("127.0.0.9")))
                .contains(describe("roce://auto?peer=127.0.0.1"));
    }

    @Test
    void whatLeadsNowhereHasNoAddress() {
        assertThat(describe("roce://auto"))
                .isEqualTo(new DeviceInfo("roce://auto", Optional.empty(), false));
        assertThat(describe("roce://no.such.host.invalid"))
                .isEqualTo(new DeviceInfo("roce://no.such.host.invalid", Optional.empty(), false));
    }

    @ParameterizedTest
    @CsvSource({"roce://127.0.0.5", "roce://auto?peer=127.0.0.1", "roce://::1"})
    void theLimitsAreThoseOfTheInterface(String uri) {
        assertThat(provider.limits(DeviceUri.parse(uri)).pathMtuBytes()).isEqualTo(4096);
        assertThat(provider.limits(DeviceUri.parse(uri)).maxQueuePairs()).isEqualTo(1 << 14);
    }

    @Test
    void withoutAPeerNoAddressCanBeChosen() {
        assertThatThrownBy(() -> Fabric.open("roce://auto"))
                .isInstanceOfSatisfying(
                        FabricException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.BAD_URI))
                .hasMessageContaining("for example roce://auto?peer=127.0.0.2");
    }

    /// Draws 127.100.100.N, whatever is asked for: first the numbers given, then the next ones.
    private static final class Draws implements RandomGenerator {
        private final int[] numbers;
        private int drawn;

        Draws(int... numbers) {
            this.numbers = numbers;
        }

        @Override
        public long nextLong() {
            throw new AssertionError("not asked for");
        }

        @Override
        public int nextInt(int bound) {
            return 100;
        }

        @Override
        public int nextInt(int origin, int bound) {
            return origin == 1 ? numbers[drawn++] : 100;
        }
    }

    private static Device drawn(Draws draws) {
        DeviceUri uri = DeviceUri.parse("roce://auto?peer=127.0.0.1");
        return RoceProvider.openTowards(address("127.0.0.1"), uri, RoceOptions.of(uri), draws);
    }

    @Test
    void aDrawnAddressThatIsTakenIsDrawnAgain() {
        Draws draws = new Draws(1, 1, 1, 2);
        try (Device first = drawn(draws);
                Device second = drawn(draws)) {
            assertThat(first.address()).isEqualTo(address("127.100.100.1"));
            assertThat(second.address()).isEqualTo(address("127.100.100.2"));
        }
    }

    @Test
    void itIsNotDrawnForEver() {
        int[] same = new int[17];
        Arrays.fill(same, 3);
        Draws draws = new Draws(same);
        try (Device _ = drawn(draws)) {
            assertThatThrownBy(() -> drawn(draws))
                    .isInstanceOfSatisfying(
                            FabricException.class,
                            e -> assertThat(e.reason()).isEqualTo(Reason.ADDRESS_IN_USE));
            assertThat(draws.drawn).isEqualTo(17);
        }
    }

    @Test
    void whatCannotBeOpenedLeavesItsAddressFree(@TempDir java.nio.file.Path directory) {
        java.nio.file.Path nowhere = directory.resolve("missing").resolve("file.pcapng");
        DeviceUri uri =
                new DeviceUri("roce", "127.100.100.4", Map.of("capture", nowhere.toString()));
        assertThatThrownBy(() -> Fabric.open(uri.toString()))
                .hasMessageContaining(nowhere.toString());

        Fabric.open("roce://127.100.100.4").close();
    }

    @Test
    void aClosedDeviceLeavesNoDescriptor() throws IOException {
        Fabric.open("roce://127.100.100.5").close();
        long before = descriptors();
        for (int i = 0; i < 20; i++) {
            Fabric.open("roce://127.100.100.5").close();
        }
        // Others in this process may open some too, but not for each device.
        assertThat(descriptors()).isLessThan(before + 20);
    }

    private static long descriptors() throws IOException {
        try (var entries = Files.list(java.nio.file.Path.of("/proc/self/fd"))) {
            return entries.count();
        }
    }

    @Test
    void aDeviceIsCalledByItsAddressAndTellsItsBuffer() {
        try (Device device = Fabric.open("roce://auto?peer=127.0.0.1")) {
            long bytes = device.counters().get("received.buffer-bytes");

            assertThat(device.name()).isEqualTo("roce://" + device.address().getHostAddress());
            assertThat(device.counters())
                    .containsKeys("sent.packets", "received.packets", "discarded.bad-icrc");
            assertThat(bytes).isPositive();
            // As far as the unit of the field goes.
            assertThat((long) CaGuid.receiveBufferBytes(device.guid())).isBetween(bytes / 2, bytes);
        }
    }

    @Test
    void aClosedDeviceGivesItsAddressBack() {
        Device device = Fabric.open("roce://auto?peer=127.0.0.1");
        device.close();
        Fabric.open(device.name()).close();
    }

    @Test
    void anAddressOfTheOtherVersionCannotBeReached() {
        try (Device device = Fabric.open("roce://auto?peer=127.0.0.1");
                ConnectionChannel channel = device.createConnectionChannel()) {
            channel.createId().resolveAddress(new InetSocketAddress(address("::1"), 1), PATIENCE);

            ConnectionEvent event = channel.next(PATIENCE).orElseThrow();

            assertThat(event.type()).isEqualTo(ConnectionEvent.Type.ADDRESS_ERROR);
            assertThat(event.explanation()).isNotEmpty();
        }
    }

    /// A capture lies next to the wire: it has what came once, and what left twice.
    @ParameterizedTest
    @CsvSource({
        "false, false, 1, 0, 0",
        "true, false, 1, 1, 2",
        "false, true, 2, 0, 0",
        "true, true, 2, 1, 4"
    })
    void packetsPassThroughTheFaultsAndTheCapture(
            boolean isCaptured,
            boolean isDoubled,
            long dropped,
            int inbound,
            int outbound,
            @TempDir java.nio.file.Path directory)
            throws IOException {
        java.nio.file.Path file = directory.resolve("taps.pcapng");
        Map<String, String> options = new TreeMap<>(Map.of("peer", "127.0.0.1"));
        if (isCaptured) {
            options.put("capture", file.toString());
        }
        if (isDoubled) {
            options.put("fault", "duplicate=100%");
        }
        try (Device device = Fabric.open(new DeviceUri("roce", "auto", options).toString())) {
            sendGarbage(device);
            Eventually.until(() -> count(device, "discarded.not-multiple-of-4") >= dropped);
            connectInVain(device);
            assertThat(device.counters()).containsEntry("discarded.not-multiple-of-4", dropped);
            assertThat(device.counters()).containsEntry("received.packets", 1L);
        }
        List<CaptureFile.Entry> entries = isCaptured ? CaptureFile.read(file) : List.of();
        assertThat(entries).filteredOn(each -> each.direction() == INBOUND).hasSize(inbound);
        assertThat(entries).filteredOn(each -> each.direction() == OUTBOUND).hasSize(outbound);
    }

    private static long count(Device device, String name) {
        return device.counters().get(name);
    }

    private static void sendGarbage(Device device) throws IOException {
        try (DatagramChannel channel = DatagramChannel.open()) {
            channel.send(
                    ByteBuffer.allocate(17),
                    new InetSocketAddress(device.address(), Path.DESTINATION_PORT));
        }
    }

    /// Two packets leave: a request, and the word that nobody waits for its answer any more.
    private static void connectInVain(Device device) {
        try (ConnectionChannel channel = device.createConnectionChannel()) {
            ConnectionId id = channel.createId();
            id.limitAttempt(Duration.ofMillis(300));
            id.resolveAddress(SILENT, PATIENCE);
            id.resolveRoute(PATIENCE);
            id.createQueuePair(
                    device.allocateProtectionDomain(),
                    QueuePairAttributes.of(device.createCompletionQueue(1), 1, 1));
            id.connect(ConnectionParameters.defaults());
            ConnectionEvent event = channel.next(PATIENCE).orElseThrow();
            while (event.type() != ConnectionEvent.Type.UNREACHABLE) {
                event = channel.next(PATIENCE).orElseThrow();
            }
        }
    }
}
