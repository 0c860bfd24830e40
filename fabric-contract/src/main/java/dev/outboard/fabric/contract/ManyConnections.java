package dev.outboard.fabric.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.ConnectionChannel;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Many connections between two devices of one process, each device with one connection channel,
/// one completion queue and one protection domain for all.
public final class ManyConnections implements AutoCloseable {
    public static final int PORT = 7000;

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int DEPTH = 16;
    private static final int BACKLOG = 128;

    /// Requests on their way at a time: fewer than the listener takes.
    private static final int IN_FLIGHT = 64;

    private final Side client;
    private final Side server;
    private final ConnectionId listener;

    public ManyConnections(Device clientDevice, Device serverDevice) {
        client = new Side(clientDevice);
        server = new Side(serverDevice);
        listener = server.channel.createId();
        listener.listen(PORT, BACKLOG);
    }

    /// Adds `count` connections and returns when all are established at both ends.
    public void connect(int count) {
        int requested = 0;
        int target = client.established + count;
        while (client.established < target || server.established < target) {
            while (requested < count && client.queuePairs.size() - client.established < IN_FLIGHT) {
                request();
                requested++;
            }
            client.take(event -> client.established++);
            server.take(this::answer);
        }
    }

    private void request() {
        ConnectionId id = client.channel.createId();
        id.resolveAddress(new InetSocketAddress(server.device.address(), PORT), PATIENCE);
        client.expect(ConnectionEvent.Type.ADDRESS_RESOLVED);
        id.resolveRoute(PATIENCE);
        client.expect(ConnectionEvent.Type.ROUTE_RESOLVED);
        client.add(id);
        id.connect(ConnectionParameters.defaults());
    }

    private void answer(ConnectionEvent event) {
        if (event.type() == ConnectionEvent.Type.CONNECT_REQUEST) {
            server.add(event.id());
            event.id().accept(ConnectionParameters.defaults());
        } else {
            server.established++;
        }
    }

    public Side client() {
        return client;
    }

    public Side server() {
        return server;
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }

    /// What one device has.
    public static final class Side {
        private final Device device;
        private final ConnectionChannel channel;
        private final ProtectionDomain domain;
        private final CompletionQueue completions;
        private final List<ConnectionId> ids = new ArrayList<>();
        private final List<QueuePair> queuePairs = new ArrayList<>();
        private final List<ConnectionEvent> early = new ArrayList<>();
        private int established;

        private Side(Device device) {
            this.device = device;
            channel = device.createConnectionChannel();
            domain = device.allocateProtectionDomain();
            completions = device.createCompletionQueue(1 << 16);
        }

        public ProtectionDomain domain() {
            return domain;
        }

        public CompletionQueue completions() {
            return completions;
        }

        public List<QueuePair> queuePairs() {
            return queuePairs;
        }

        private void add(ConnectionId id) {
            ids.add(id);
            queuePairs.add(
                    id.createQueuePair(domain, QueuePairAttributes.of(completions, DEPTH, DEPTH)));
        }

        /// Takes an event that comes at once; what is established meanwhile is looked at later.
        private void expect(ConnectionEvent.Type type) {
            ConnectionEvent event = channel.next(PATIENCE).orElseThrow();
            while (event.type() != type) {
                assertThat(event.type())
                        .as(event.explanation())
                        .isEqualTo(ConnectionEvent.Type.ESTABLISHED);
                early.add(event);
                event = channel.next(PATIENCE).orElseThrow();
            }
        }

        private void take(java.util.function.Consumer<ConnectionEvent> action) {
            early.forEach(action);
            early.clear();
            Optional<ConnectionEvent> event = channel.next(Duration.ZERO);
            while (event.isPresent()) {
                assertThat(event.get().type())
                        .as(event.get().explanation())
                        .isIn(
                                ConnectionEvent.Type.CONNECT_REQUEST,
                                ConnectionEvent.Type.ESTABLISHED);
                action.accept(event.get());
                event = channel.next(Duration.ZERO);
            }
        }

        private void close() {
            channel.close();
            completions.close();
            domain.close();
        }
    }
}
