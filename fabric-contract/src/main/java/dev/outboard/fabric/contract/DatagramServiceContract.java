package dev.outboard.fabric.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.AddressHandle;
import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.ConnectionChannel;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.DatagramDestination;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.PortSpace;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.QueuePairType;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What every provider of the fabric does alike with datagram services: connection management in
/// the UDP port space. A provider's test extends this and opens its devices.
public abstract class DatagramServiceContract {
    private static final int PORT = 7174;
    private static final int QUEUE_KEY = 0x0123_4567;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final byte[] HELLO = {1, 2, 3};
    private static final byte[] WELCOME = {9, 8};

    private Device clientDevice;
    private Device serverDevice;
    private ConnectionChannel clientChannel;
    private ConnectionChannel serverChannel;
    private ConnectionId client;
    private ConnectionId listener;

    /// Opens a device that reaches, and is reached by, the other devices opened here. It may be the
    /// same one each time.
    protected abstract Device open();

    @BeforeEach
    void start() {
        clientDevice = open();
        serverDevice = open();
        clientChannel = clientDevice.createConnectionChannel();
        serverChannel = serverDevice.createConnectionChannel();
        listener = serverChannel.createId(PortSpace.UDP);
        listener.listen(PORT, 10);
        client = clientChannel.createId(PortSpace.UDP);
        client.resolveAddress(new InetSocketAddress(serverDevice.address(), PORT), PATIENCE);
        expect(clientChannel, ConnectionEvent.Type.ADDRESS_RESOLVED);
        client.resolveRoute(PATIENCE);
        expect(clientChannel, ConnectionEvent.Type.ROUTE_RESOLVED);
    }

    @AfterEach
    void close() {
        clientChannel.close();
        serverChannel.close();
        clientDevice.close();
        serverDevice.close();
    }

    @Test
    @Requirement("ROCE-CM-17")
    void aServiceIsFoundAndDatagramsReachIt() {
        try (Service server = new Service(serverDevice);
                Service peer = new Service(clientDevice)) {
            peer.createQueuePair(client);
            client.connect(parameters(HELLO));
            ConnectionEvent request = expect(serverChannel, ConnectionEvent.Type.CONNECT_REQUEST);
            assertThat(request.listener()).contains(listener);
            assertThat(request.parameters().privateData()).startsWith(HELLO).hasSize(180);
            assertThat(request.id().remoteAddress()).contains(client.localAddress());
            QueuePair serving = server.createQueuePair(request.id());
            serving.post(new ReceiveRequest().id(5).buffer(server.region, 0, 100));
            request.id().accept(parameters(WELCOME));

            ConnectionEvent found = expect(clientChannel, ConnectionEvent.Type.ESTABLISHED);
            DatagramDestination destination = found.destination().orElseThrow();
            assertThat(destination)
                    .isEqualTo(
                            new DatagramDestination(
                                    AddressVector.to(serverDevice.address()),
                                    serving.number(),
                                    QUEUE_KEY));
            assertThat(found.parameters().privateData()).startsWith(WELCOME).hasSize(136);
            peer.send(client.queuePair().orElseThrow(), destination);
            Completion received = server.awaitCompletion();
            assertThat(received.id()).isEqualTo(5);
            assertThat(received.byteCount()).isEqualTo(40 + Service.MESSAGE.length);
            assertThat(server.bytes(40, Service.MESSAGE.length)).isEqualTo(Service.MESSAGE);
            request.id().close();
            client.close();
        }
    }

    @Test
    @Requirement("ROCE-CM-17")
    void aRejectionIsReportedWithItsStatus() {
        client.connect(parameters(HELLO));
        expect(serverChannel, ConnectionEvent.Type.CONNECT_REQUEST).id().reject(WELCOME);

        ConnectionEvent refused = expect(clientChannel, ConnectionEvent.Type.UNREACHABLE);
        assertThat(refused.status()).isEqualTo(2);
        assertThat(refused.explanation()).contains("rejected");
        assertThat(refused.parameters().privateData()).startsWith(WELCOME);
        assertThat(refused.destination()).isEmpty();
    }

    @Test
    @Requirement("ROCE-CM-17")
    void withoutAListenerTheServiceIsUnsupportedAndMayBeAskedForAgain() {
        listener.close();
        client.connect(parameters(HELLO));
        assertThat(expect(clientChannel, ConnectionEvent.Type.UNREACHABLE).status()).isEqualTo(1);

        serverChannel.createId(PortSpace.UDP).listen(PORT, 1);
        client.connect(parameters(HELLO));
        expect(serverChannel, ConnectionEvent.Type.CONNECT_REQUEST).id().close();
        assertThat(expect(clientChannel, ConnectionEvent.Type.UNREACHABLE).status()).isEqualTo(2);
    }

    @Test
    @Requirement("ROCE-CM-17")
    void aServiceSaysWhichQueueKeyItsQueuePairHas() {
        try (Service server = new Service(serverDevice)) {
            client.connect(parameters(HELLO));
            ConnectionId request = expect(serverChannel, ConnectionEvent.Type.CONNECT_REQUEST).id();
            QueuePair serving = server.createQueuePair(request);
            serving.modify(
                    QueuePairChange.to(QueuePairState.READY_TO_SEND).queueKey(QUEUE_KEY + 7));
            request.accept(parameters(WELCOME));

            ConnectionEvent found = expect(clientChannel, ConnectionEvent.Type.ESTABLISHED);
            assertThat(found.destination().orElseThrow().queueKey()).isEqualTo(QUEUE_KEY + 7);
            request.close();
        }
    }

    @Test
    void whoAsksAgainHearsOfTheLastQuestionOnly() {
        client.connect(parameters(HELLO));
        ConnectionId first = expect(serverChannel, ConnectionEvent.Type.CONNECT_REQUEST).id();
        client.connect(parameters(WELCOME));
        ConnectionEvent second = expect(serverChannel, ConnectionEvent.Type.CONNECT_REQUEST);
        assertThat(second.parameters().privateData()).startsWith(WELCOME);
        try (Service server = new Service(serverDevice)) {
            first.reject(HELLO);
            server.createQueuePair(second.id());
            second.id().accept(parameters(WELCOME));
            assertThat(expect(clientChannel, ConnectionEvent.Type.ESTABLISHED).id())
                    .isEqualTo(client);
            second.id().close();
        }
    }

    @Test
    void thePortSpacesAreSeparate() {
        ConnectionId connected = serverChannel.createId();
        connected.listen(PORT, 1);
        assertThat(connected.localAddress().getPort()).isEqualTo(PORT);
        assertThat(listener.localAddress()).isEqualTo(connected.localAddress());
    }

    @Test
    void anIdTakesQueuePairsOfItsPortSpaceOnly() {
        try (Service peer = new Service(clientDevice)) {
            QueuePairAttributes connected = QueuePairAttributes.of(peer.completions, 4, 4);
            assertThatThrownBy(() -> client.createQueuePair(peer.domain, connected))
                    .isInstanceOf(FabricException.class)
                    .hasMessageContaining("UNRELIABLE_DATAGRAM");
            QueuePairAttributes datagram = connected.withType(QueuePairType.UNRELIABLE_DATAGRAM);
            ConnectionId stream = clientChannel.createId();
            assertThatThrownBy(() -> stream.createQueuePair(peer.domain, datagram))
                    .isInstanceOf(FabricException.class)
                    .hasMessageContaining("RELIABLE_CONNECTED");
        }
    }

    @Test
    void tooMuchPrivateDataIsRefused() {
        assertThatThrownBy(() -> client.connect(parameters(new byte[181])))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("at most 180");
        client.connect(parameters(new byte[180]));
        ConnectionId asked = expect(serverChannel, ConnectionEvent.Type.CONNECT_REQUEST).id();
        assertThatThrownBy(() -> asked.reject(new byte[137]))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("at most 136");
    }

    private static ConnectionParameters parameters(byte[] privateData) {
        return new ConnectionParameters(0, 0, 0, 0, privateData);
    }

    private static ConnectionEvent expect(ConnectionChannel channel, ConnectionEvent.Type type) {
        ConnectionEvent event = channel.next(PATIENCE).orElseThrow();
        assertThat(event.type()).as(event.explanation()).isEqualTo(type);
        return event;
    }

    /// What a queue pair of one side needs.
    private static final class Service implements AutoCloseable {
        static final byte[] MESSAGE = "anybody there?".getBytes(StandardCharsets.UTF_8);

        final ProtectionDomain domain;
        final CompletionQueue completions;
        final MemoryRegion region;
        private final Arena arena = Arena.ofShared();

        Service(Device device) {
            domain = device.allocateProtectionDomain();
            completions = device.createCompletionQueue(8);
            region = domain.register(arena.allocate(200), Access.LOCAL_WRITE);
        }

        QueuePair createQueuePair(ConnectionId id) {
            QueuePairAttributes attributes = QueuePairAttributes.of(completions, 4, 4);
            QueuePair created =
                    id.createQueuePair(
                            domain, attributes.withType(QueuePairType.UNRELIABLE_DATAGRAM));
            assertThat(created.state()).isEqualTo(QueuePairState.READY_TO_SEND);
            return created;
        }

        void send(QueuePair from, DatagramDestination to) {
            MemorySegment.copy(
                    MESSAGE, 0, region.segment(), ValueLayout.JAVA_BYTE, 0, MESSAGE.length);
            try (AddressHandle handle = domain.createAddressHandle(to.addressVector())) {
                from.post(
                        new SendRequest()
                                .to(handle, to.queuePairNumber(), to.queueKey())
                                .payload(region, 0, MESSAGE.length));
            }
            assertThat(awaitCompletion().status()).isEqualTo(CompletionStatus.SUCCESS);
        }

        Completion awaitCompletion() {
            return Completions.await(completions);
        }

        byte[] bytes(long offset, int length) {
            return region.segment().asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
        }

        @Override
        public void close() {
            completions.close();
            region.close();
            domain.close();
            arena.close();
        }
    }
}
