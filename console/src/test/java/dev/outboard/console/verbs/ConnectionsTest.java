package dev.outboard.console.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.ConnectionChannel;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.PortSpace;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.contract.roce.RoceLoopback;
import dev.outboard.terminal.CommandException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// How a client gets through to a server that is not quite there.
class ConnectionsTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int PORT = 7471;
    private static final ConnectionParameters PARAMETERS =
            new ConnectionParameters(1, 1, 7, 7, new byte[0]);

    private final Device serverDevice = RoceLoopback.open();
    private final Device clientDevice = RoceLoopback.open();
    private final Connections server = new Connections(serverDevice, LIMIT);
    private final Connections client = new Connections(clientDevice, LIMIT);
    private final List<ConnectionId> attempts = new ArrayList<>();

    @AfterEach
    void close() {
        clientDevice.close();
        serverDevice.close();
    }

    @Test
    void triesAgainUntilTheServerListens() {
        CompletableFuture<Void> accepted = new CompletableFuture<>();

        ConnectionId connected =
                connect(attempt -> {
                    if (attempt == 2) {
                        server.listen(PORT, 1);
                        Thread.ofVirtual().start(() -> accept(accepted));
                    }
                });

        accepted.join();
        assertThat(attempts).hasSizeGreaterThanOrEqualTo(2).endsWith(connected);
    }

    @Test
    void aServerThatRefusesIsNotAskedAgain() {
        server.listen(PORT, 1);
        Thread.ofVirtual()
                .start(() ->
                        server.await(ConnectionEvent.Type.CONNECT_REQUEST)
                                .id()
                                .reject(new byte[0]));

        assertThatThrownBy(() -> connect(_ -> {}))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("rejected by the application");
        assertThat(attempts).hasSize(1);
    }

    /// What a tool with two connections meets when the end of the second takes long, because its
    /// request got lost: the first one's number is free again before.
    @Test
    void theFreeNumberOfOneConnectionIsNotTheFailureOfAnother() {
        ConnectionChannel events = serverDevice.createConnectionChannel();
        events.createId(PortSpace.TCP).listen(PORT, 2);
        ConnectionId first = connectTo(events);
        ConnectionId second = connectTo(events);

        first.disconnect();
        client.await(ConnectionEvent.Type.DISCONNECTED).id().disconnect();
        assertThat(next(events).type()).isEqualTo(ConnectionEvent.Type.DISCONNECTED);
        // The client's end was in TIMEWAIT before this one, so it leaves it before, too.
        assertThat(next(events).type()).isEqualTo(ConnectionEvent.Type.TIMEWAIT_EXIT);
        second.disconnect();

        client.await(ConnectionEvent.Type.DISCONNECTED);
    }

    /// A connection of the client to who takes `events`.
    ///
    /// @return the server's end
    private ConnectionId connectTo(ConnectionChannel events) {
        CompletableFuture<ConnectionId> accepted =
                CompletableFuture.supplyAsync(() -> {
                    ConnectionId id = next(events).id();
                    createQueuePair(serverDevice, id);
                    id.accept(PARAMETERS);
                    next(events);
                    return id;
                });
        connect(_ -> {});
        return accepted.join();
    }

    private static ConnectionEvent next(ConnectionChannel events) {
        return events.next(LIMIT).orElseThrow();
    }

    private ConnectionId connect(Consumer<Integer> beforeAttempt) {
        return client.connect(
                new InetSocketAddress(serverDevice.address(), PORT),
                PARAMETERS,
                id -> {
                    attempts.add(id);
                    beforeAttempt.accept(attempts.size());
                    createQueuePair(clientDevice, id);
                    return id;
                });
    }

    private void accept(CompletableFuture<Void> accepted) {
        try {
            ConnectionId id = server.await(ConnectionEvent.Type.CONNECT_REQUEST).id();
            createQueuePair(serverDevice, id);
            id.accept(PARAMETERS);
            server.await(ConnectionEvent.Type.ESTABLISHED);
            accepted.complete(null);
        } catch (RuntimeException e) {
            accepted.completeExceptionally(e);
        }
    }

    private static void createQueuePair(Device device, ConnectionId id) {
        id.createQueuePair(
                device.allocateProtectionDomain(),
                QueuePairAttributes.of(device.createCompletionQueue(2), 1, 1));
    }
}
