package dev.outboard.fabric.contract.roce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.ConnectionChannel;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.PortSpace;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.QueuePairType;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.contract.Completions;
import dev.outboard.fabric.contract.VerbsEnd;
import dev.outboard.testkit.Requirement;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Every field of connection management that the API sets, as the bytes of a captured datagram:
/// written down by hand and different from each other, so that none can stand in another's place.
class CmFieldsOnTheWireTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int PORT = 0x1c06;

    // Attribute IDs of the messages.
    private static final int REQ = 0x10;
    private static final int REJ = 0x12;
    private static final int REP = 0x13;
    private static final int RTU = 0x14;
    private static final int DREQ = 0x15;
    private static final int DREP = 0x16;
    private static final int SIDR_REQ = 0x17;
    private static final int SIDR_REP = 0x18;

    /// Offset of the message behind BTH, DETH and the header of the management datagram.
    private static final int MESSAGE = 12 + 8 + 24;

    @TempDir private java.nio.file.Path directory;

    private Wire wire;
    private Device serverDevice;
    private ConnectionChannel clientChannel;
    private ConnectionChannel serverChannel;
    private VerbsEnd clientEnd;
    private VerbsEnd serverEnd;
    private @Nullable ConnectionId client;

    @BeforeEach
    void open() {
        wire = new Wire(directory.resolve("client.pcapng"));
        serverDevice = RoceLoopback.open();
        clientChannel = wire.device().createConnectionChannel();
        serverChannel = serverDevice.createConnectionChannel();
        clientEnd = new VerbsEnd(wire.device());
        serverEnd = new VerbsEnd(serverDevice);
    }

    @AfterEach
    void close() {
        clientChannel.close();
        serverChannel.close();
        clientEnd.close();
        serverEnd.close();
        wire.close();
        serverDevice.close();
    }

    @Test
    @Requirement({"ROCE-CM-1", "ROCE-CM-2", "ROCE-CM-12", "ROCE-CM-13", "ROCE-CM-16"})
    void aRequest() {
        request(PortSpace.TCP, new ConnectionParameters(3, 5, 6, 2, bytes("hello")));
        String mad = mad(wire.sent(), REQ);

        assertThat(mad.substring(0, 2 * 20)).isEqualTo(generalService());
        assertThat(mad.substring(2 * 20, 2 * 28)).isEqualTo("0107020300000000");
        assertThat(mad.substring(2 * 36, 2 * 44)).isEqualTo("0010000000000000");
        String label = flowLabel();
        assertThat(mad.substring(2 * MESSAGE))
                .isEqualTo(
                        localId(mad)
                                + "00000000"
                                + "0000000001061c06"
                                + "%016x".formatted(wire.device().guid())
                                + "0000000000000000"
                                // Queue pair, responder resources; initiator depth.
                                + ("%06x03".formatted(number(client())) + "00000005")
                                + "000000a0"
                                + startingPsn(mad, 44)
                                // Timeout 20 and 6 retries; partition; MTU 512 and 2 retries.
                                + ("a6" + "ffff" + "22" + "f0")
                                + "ffffffff"
                                + gid(wire.device())
                                + gid(serverDevice)
                                + (label + "000" + "00" + "40" + "00" + "88")
                                + "00".repeat(44)
                                + "0040"
                                + "%04x".formatted(client().localAddress().getPort())
                                + address(wire.device())
                                + address(serverDevice)
                                + hex("hello", 56));
    }

    @Test
    @Requirement({"ROCE-CM-1", "ROCE-CM-3", "ROCE-CM-12", "ROCE-CM-13"})
    void aReplyAndItsConfirmation() {
        ConnectionId server =
                request(PortSpace.TCP, new ConnectionParameters(9, 7, 6, 2, new byte[0]));
        int number = accept(server, new ConnectionParameters(4, 8, 7, 3, bytes("welcome")));
        String request = mad(wire.sent(), REQ);
        String reply = mad(wire.received(), REP);

        assertThat(reply.substring(2 * 28, 2 * 44))
                .isEqualTo(transaction(request) + "0013000000000000");
        assertThat(reply.substring(2 * MESSAGE))
                .isEqualTo(
                        localId(reply)
                                + localId(request)
                                + "00000000"
                                + "%06x00".formatted(number)
                                + "00000000"
                                + startingPsn(reply, 20)
                                + "00"
                                // Responder resources, initiator depth, delay 15, 3 retries.
                                + ("04" + "08" + "78" + "60")
                                + "%016x".formatted(serverDevice.guid())
                                + hex("welcome", 196));
        assertThat(mad(wire.sent(), RTU).substring(2 * 28))
                .isEqualTo(
                        transaction(request)
                                + "0014000000000000"
                                + (localId(request) + localId(reply))
                                + hex("", 224));
    }

    /// What a side calls its starting PSN is the number of the first packet that its *peer* sends.
    @Test
    @Requirement("ROCE-CM-3")
    void theFirstPacketsHaveTheStartingNumbersOfTheOtherSide() {
        ConnectionId server = request(PortSpace.TCP, ConnectionParameters.defaults());
        accept(server, ConnectionParameters.defaults());
        QueuePair there = server.queuePair().orElseThrow();
        QueuePair here = client().queuePair().orElseThrow();
        here.post(new ReceiveRequest().buffer(clientEnd.region(), 0, 64));
        there.post(new ReceiveRequest().buffer(serverEnd.region(), 0, 64));
        here.post(new SendRequest().payload(clientEnd.region(), 0, 8));
        there.post(new SendRequest().payload(serverEnd.region(), 0, 8));
        Completions.await(clientEnd.completions());
        Completions.await(clientEnd.completions());

        String request = mad(wire.sent(), REQ);
        String reply = mad(wire.received(), REP);
        assertThat(firstSend(wire.sent()).substring(18, 24)).isEqualTo(startingPsn(reply, 20));
        assertThat(firstSend(wire.received()).substring(18, 24))
                .isEqualTo(startingPsn(request, 44));
    }

    @Test
    @Requirement({"ROCE-CM-1", "ROCE-CM-10", "ROCE-CM-13"})
    void aRejection() {
        request(PortSpace.TCP, ConnectionParameters.defaults()).reject(bytes("no room"));
        expect(clientChannel, ConnectionEvent.Type.REJECTED);
        String request = mad(wire.sent(), REQ);

        assertThat(mad(wire.received(), REJ).substring(2 * 28))
                .isEqualTo(
                        transaction(request)
                                + "0012000000000000"
                                + ("00000000" + localId(request))
                                + ("00" + "00" + "001c")
                                + hex("", 72)
                                + hex("no room", 148));
    }

    @Test
    @Requirement({"ROCE-CM-1", "ROCE-CM-14"})
    void aDisconnection() {
        ConnectionId server = request(PortSpace.TCP, ConnectionParameters.defaults());
        int number = accept(server, ConnectionParameters.defaults());
        client().disconnect();
        expect(clientChannel, ConnectionEvent.Type.DISCONNECTED);
        String ours = localId(mad(wire.sent(), REQ));
        String theirs = localId(mad(wire.received(), REP));
        String request = mad(wire.sent(), DREQ);

        assertThat(request.substring(2 * 36))
                .isEqualTo(
                        "0015000000000000"
                                + (ours + theirs + "%06x00".formatted(number))
                                + hex("", 220));
        assertThat(mad(wire.received(), DREP).substring(2 * 28))
                .isEqualTo(
                        transaction(request) + "0016000000000000" + (theirs + ours) + hex("", 224));
    }

    @Test
    @Requirement({"ROCE-CM-1", "ROCE-CM-2", "ROCE-CM-17"})
    void aServiceThatIsFound() {
        ConnectionId server =
                request(PortSpace.UDP, new ConnectionParameters(0, 0, 0, 0, bytes("who?")));
        QueuePair serving =
                server.createQueuePair(
                        serverEnd.domain(),
                        QueuePairAttributes.of(serverEnd.completions(), 1, 1)
                                .withType(QueuePairType.UNRELIABLE_DATAGRAM));
        server.accept(new ConnectionParameters(0, 0, 0, 0, bytes("me")));
        expect(clientChannel, ConnectionEvent.Type.ESTABLISHED);
        String request = mad(wire.sent(), SIDR_REQ);

        assertThat(request.substring(2 * 36))
                .isEqualTo(
                        "0017000000000000"
                                + localId(request)
                                + "ffff0000"
                                + "0000000001111c06"
                                + "0040"
                                + "%04x".formatted(client().localAddress().getPort())
                                + address(wire.device())
                                + address(serverDevice)
                                + hex("who?", 180));
        assertThat(mad(wire.received(), SIDR_REP).substring(2 * 28))
                .isEqualTo(
                        transaction(request)
                                + "0018000000000000"
                                + localId(request)
                                + "00000000"
                                + "%06x00".formatted(serving.number())
                                + "0000000001111c06"
                                + "01234567"
                                + hex("", 72)
                                + hex("me", 136));
    }

    @Test
    @Requirement({"ROCE-CM-1", "ROCE-CM-17"})
    void aServiceThatIsRefused() {
        request(PortSpace.UDP, ConnectionParameters.defaults()).reject(bytes("not you"));
        expect(clientChannel, ConnectionEvent.Type.UNREACHABLE);
        String request = mad(wire.sent(), SIDR_REQ);

        assertThat(mad(wire.received(), SIDR_REP).substring(2 * 36))
                .isEqualTo(
                        "0018000000000000"
                                + localId(request)
                                + "02000000"
                                + "00000000"
                                + "0000000001111c06"
                                + "00000000"
                                + hex("", 72)
                                + hex("not you", 136));
    }

    /// Sends a request, and gives the server's id for it.
    private ConnectionId request(PortSpace space, ConnectionParameters parameters) {
        serverChannel.createId(space).listen(PORT, 10);
        ConnectionId client = clientChannel.createId(space);
        this.client = client;
        client.resolveAddress(new InetSocketAddress(serverDevice.address(), PORT), PATIENCE);
        expect(clientChannel, ConnectionEvent.Type.ADDRESS_RESOLVED);
        client.resolveRoute(PATIENCE);
        expect(clientChannel, ConnectionEvent.Type.ROUTE_RESOLVED);
        if (space == PortSpace.TCP) {
            client.createQueuePair(
                    clientEnd.domain(), QueuePairAttributes.of(clientEnd.completions(), 4, 4));
            client.prefer(QueuePairChange.to(QueuePairState.READY_TO_SEND).pathMtu(512));
        }
        client.connect(parameters);
        return expect(serverChannel, ConnectionEvent.Type.CONNECT_REQUEST).id();
    }

    private ConnectionId client() {
        return Objects.requireNonNull(client, "request() makes it");
    }

    private int accept(ConnectionId server, ConnectionParameters parameters) {
        server.createQueuePair(
                serverEnd.domain(), QueuePairAttributes.of(serverEnd.completions(), 4, 4));
        server.accept(parameters);
        expect(clientChannel, ConnectionEvent.Type.ESTABLISHED);
        expect(serverChannel, ConnectionEvent.Type.ESTABLISHED);
        return number(server);
    }

    private static ConnectionEvent expect(ConnectionChannel channel, ConnectionEvent.Type type) {
        ConnectionEvent event = channel.next(PATIENCE).orElseThrow();
        assertThat(event.type()).as(event.explanation()).isEqualTo(type);
        return event;
    }

    private static int number(ConnectionId id) {
        return id.queuePair().orElseThrow().number();
    }

    private static String firstSend(List<String> packets) {
        return packets.stream().filter(packet -> packet.startsWith("04")).findFirst().orElseThrow();
    }

    /// The management datagram of that kind. It may have been repeated, with another packet number.
    private static String mad(List<String> packets, int attribute) {
        return packets.stream()
                .filter(packet -> packet.startsWith("64"))
                .filter(packet -> packet.startsWith("%04x".formatted(attribute), 2 * 36))
                .map(packet -> packet.substring(0, 18) + "000000" + packet.substring(24))
                .findFirst()
                .orElseThrow();
    }

    /// BTH and DETH of a datagram to the general service queue pair, from ours.
    private static String generalService() {
        return "6440ffff" + "00000001" + "00000000" + "80010000" + "00000001";
    }

    private static String transaction(String mad) {
        return mad.substring(2 * 28, 2 * 36);
    }

    private static String localId(String mad) {
        String id = mad.substring(2 * MESSAGE, 2 * (MESSAGE + 4));
        assertThat(id).isNotEqualTo("00000000");
        return id;
    }

    private static String startingPsn(String mad, int at) {
        return mad.substring(2 * (MESSAGE + at), 2 * (MESSAGE + at + 3));
    }

    /// As Linux makes it of both ports.
    private String flowLabel() {
        return "%05x".formatted((client().localAddress().getPort() * 31 + PORT) & 0xfffff);
    }

    private static String gid(Device device) {
        return "00".repeat(10) + "ffff" + ipv4(device.address());
    }

    private static String address(Device device) {
        return "00".repeat(12) + ipv4(device.address());
    }

    private static String ipv4(InetAddress address) {
        return HexFormat.of().formatHex(address.getAddress());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /// The text, filled up with zeros.
    private static String hex(String text, int length) {
        return HexFormat.of().formatHex(bytes(text)) + "00".repeat(length - text.length());
    }
}
