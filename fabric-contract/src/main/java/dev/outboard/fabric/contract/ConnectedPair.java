package dev.outboard.fabric.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.ConnectionChannel;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A client and a server end, connected through the connection manager.
public record ConnectedPair(End client, End server, ConnectionId listener)
        implements AutoCloseable {
    static final byte[] HELLO = {1, 2, 3};
    static final byte[] WELCOME = {9, 8};

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int DEPTH = 128;

    public static ConnectedPair connect(Device clientDevice, Device serverDevice, int port) {
        ConnectionChannel serverChannel = serverDevice.createConnectionChannel();
        ConnectionId listener = serverChannel.createId();
        listener.listen(port, 10);
        End client = new End(clientDevice, clientDevice.createConnectionChannel());
        client.request(new InetSocketAddress(serverDevice.address(), port));

        ConnectionEvent request = expect(serverChannel, ConnectionEvent.Type.CONNECT_REQUEST);
        assertThat(request.listener()).contains(listener);
        End server = new End(serverDevice, serverChannel, request.id());
        server.received = request;
        server.id().accept(new ConnectionParameters(4, 4, 7, 6, WELCOME));
        client.received = expect(client.channel, ConnectionEvent.Type.ESTABLISHED);
        expect(serverChannel, ConnectionEvent.Type.ESTABLISHED);
        return new ConnectedPair(client, server, listener);
    }

    /// The answer to a connection request nobody expects.
    public static ConnectionEvent tryConnect(Device clientDevice, Device serverDevice, int port) {
        try (End client = new End(clientDevice, clientDevice.createConnectionChannel())) {
            client.request(new InetSocketAddress(serverDevice.address(), port));
            return client.awaitEvent();
        }
    }

    @Override
    public void close() {
        client.close();
        server.close();
        listener.close();
    }

    private static ConnectionEvent expect(ConnectionChannel channel, ConnectionEvent.Type type) {
        ConnectionEvent event = channel.next(PATIENCE).orElseThrow();
        assertThat(event.type()).as(event.explanation()).isEqualTo(type);
        return event;
    }

    /// One end: an id, a queue pair and one completion queue for both directions.
    public static final class End implements AutoCloseable {
        private final ConnectionChannel channel;
        private final ConnectionId id;
        private final ProtectionDomain domain;
        private final CompletionQueue completions;
        private final QueuePair queuePair;
        private @Nullable ConnectionEvent received;

        public End(Device device, ConnectionChannel channel) {
            this(device, channel, channel.createId());
        }

        public End(Device device, ConnectionChannel channel, ConnectionId id) {
            this.channel = channel;
            this.id = id;
            domain = device.allocateProtectionDomain();
            completions = device.createCompletionQueue(2 * DEPTH);
            queuePair =
                    id.createQueuePair(domain, QueuePairAttributes.of(completions, DEPTH, DEPTH));
        }

        public void request(InetSocketAddress remote) {
            id.resolveAddress(remote, PATIENCE);
            expect(channel, ConnectionEvent.Type.ADDRESS_RESOLVED);
            id.resolveRoute(PATIENCE);
            expect(channel, ConnectionEvent.Type.ROUTE_RESOLVED);
            id.connect(new ConnectionParameters(4, 4, 7, 6, HELLO));
        }

        public ConnectionId id() {
            return id;
        }

        public QueuePair queuePair() {
            return queuePair;
        }

        public ProtectionDomain domain() {
            return domain;
        }

        public CompletionQueue completions() {
            return completions;
        }

        /// What the peer sent along when the connection was made.
        public byte[] receivedPrivateData() {
            return Objects.requireNonNull(received, "not connected").parameters().privateData();
        }

        public MemoryRegion register(MemorySegment segment) {
            return domain.register(
                    segment,
                    Access.LOCAL_WRITE,
                    Access.REMOTE_WRITE,
                    Access.REMOTE_READ,
                    Access.REMOTE_ATOMIC);
        }

        public void post(SendRequest request) {
            if (!queuePair.post(request)) {
                throw new AssertionError("the queue is full");
            }
        }

        public void post(ReceiveRequest request) {
            if (!queuePair.post(request)) {
                throw new AssertionError("the queue is full");
            }
        }

        public Completion awaitCompletion() {
            return Completions.await(completions);
        }

        public ConnectionEvent awaitEvent() {
            return channel.next(PATIENCE).orElseThrow();
        }

        @Override
        public void close() {
            id.close();
            completions.close();
            domain.close();
        }
    }
}
