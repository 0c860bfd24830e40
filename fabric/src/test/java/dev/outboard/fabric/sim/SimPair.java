package dev.outboard.fabric.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.ConnectionChannel;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.SendRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Two simulated devices with a connection, and one thread that writes from one to the other.
final class SimPair implements AutoCloseable {
    private static final int PORT = 7174;
    private static final int MEMORY = 1 << 16;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long STEP_NANOS = 1_000;

    /// One side.
    static final class End {
        final Device device;
        final ConnectionChannel channel;
        final CompletionQueue completions;
        final ProtectionDomain domain;
        final MemoryRegion region;

        End(String uri) {
            device = Fabric.open(uri);
            channel = device.createConnectionChannel();
            completions = device.createCompletionQueue(64);
            domain = device.allocateProtectionDomain();
            MemorySegment memory = Arena.ofAuto().allocate(MEMORY);
            region = domain.register(memory, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        }

        QueuePair join(ConnectionId id) {
            return id.createQueuePair(domain, QueuePairAttributes.of(completions, 16, 16));
        }
    }

    private final End client;
    private final End server;
    private final QueuePair queuePair;
    private byte pattern;

    private SimPair(String network, String options) {
        String query = options.isEmpty() ? "" : "?" + options;
        client = new End("sim://" + network + "/10.0.0.1" + query);
        server = new End("sim://" + network + "/10.0.0.2");
        ConnectionId listener = server.channel.createId();
        listener.listen(PORT, 4);
        ConnectionId id = client.channel.createId();
        id.resolveAddress(new InetSocketAddress(server.device.address(), PORT), PATIENCE);
        expect(client, ConnectionEvent.Type.ADDRESS_RESOLVED);
        id.resolveRoute(PATIENCE);
        expect(client, ConnectionEvent.Type.ROUTE_RESOLVED);
        queuePair = client.join(id);
        id.connect(ConnectionParameters.defaults());
        ConnectionId accepted = expect(server, ConnectionEvent.Type.CONNECT_REQUEST).id();
        server.join(accepted);
        accepted.accept(ConnectionParameters.defaults());
        expect(client, ConnectionEvent.Type.ESTABLISHED);
        expect(server, ConnectionEvent.Type.ESTABLISHED);
    }

    static SimPair connect(String network, String options) {
        return new SimPair(network, options);
    }

    End client() {
        return client;
    }

    End server() {
        return server;
    }

    SimNetwork network() {
        return SimNetwork.of(client.device);
    }

    void cut() {
        network().cut(client.device.address(), server.device.address());
        network().cut(server.device.address(), client.device.address());
    }

    /// Posts a write of other bytes than the last one's.
    void post(int length) {
        pattern++;
        client.region.segment().fill(pattern);
        SendRequest request =
                new SendRequest()
                        .payload(client.region, 0, length)
                        .write(server.region.address(), server.region.remoteKey());
        assertThat(queuePair.post(request)).isTrue();
    }

    CompletionStatus write(int length) {
        post(length);
        return awaitStatus();
    }

    /// The status of the next completion; null if there is none.
    @Nullable CompletionStatus poll() {
        Completion completion = new Completion();
        return client.completions.poll(completion) ? completion.status() : null;
    }

    CompletionStatus awaitStatus() {
        client.completions.requestNotification(false);
        CompletionStatus status = poll();
        if (status == null) {
            assertThat(client.completions.await(PATIENCE.toNanos())).isTrue();
            status = poll();
        }
        assertThat(status).isNotNull();
        return status;
    }

    /// Whether the bytes that were written last have arrived.
    boolean arrived(int length) {
        return client.region
                        .segment()
                        .asSlice(0, length)
                        .mismatch(server.region.segment().asSlice(0, length))
                == -1;
    }

    void stepUntil(BooleanSupplier isDone) {
        while (!isDone.getAsBoolean()) {
            network().runUntil(network().nowNanos() + STEP_NANOS);
        }
    }

    private ConnectionEvent expect(End end, ConnectionEvent.Type type) {
        Optional<ConnectionEvent> event = end.channel.next(Duration.ZERO);
        while (event.isEmpty()) {
            if (isStepped()) {
                network().runUntil(network().nowNanos() + STEP_NANOS);
                event = end.channel.next(Duration.ZERO);
            } else {
                event = Optional.of(end.channel.next(PATIENCE).orElseThrow());
            }
        }
        assertThat(event.get().type()).as(event.get().explanation()).isEqualTo(type);
        return event.get();
    }

    private boolean isStepped() {
        return ((SharedNetwork) network()).clock() == SimClock.STEPPED;
    }

    @Override
    public void close() {
        client.device.close();
        server.device.close();
    }
}
