package dev.outboard.doca.rdma;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.DocaError;
import dev.outboard.testkit.Requirement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// When, and in which modes, an application hears of connections, on every provider.
abstract class ConnectionEventsContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final ConnectionNotes atServer = new ConnectionNotes();
    private final ConnectionNotes atClient = new ConnectionNotes();

    /// The callbacks that ran, and those that ran outside of the engine's progress.
    private final Set<ConnectionNotes.Callback> ran =
            EnumSet.noneOf(ConnectionNotes.Callback.class);

    private final List<String> outside = new ArrayList<>();
    private boolean isProgressing;

    private RdmaEnd server;
    private RdmaEnd client;

    /// A device that reaches, and is reached by, the others.
    abstract DocaDevInfo device();

    @BeforeEach
    void open() {
        server = new RdmaEnd(device());
        client = new RdmaEnd(device());
        atServer.then = callback -> note(callback);
        atClient.then = callback -> note(callback);
    }

    private void note(ConnectionNotes.Callback callback) {
        ran.add(callback);
        if (!isProgressing) {
            outside.add(callback + " on " + Thread.currentThread());
        }
    }

    @AfterEach
    void close() {
        isProgressing = true; // closing progresses
        client.close();
        server.close();
    }

    private void progressUntil(BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            isProgressing = true;
            server.engine.progress();
            client.engine.progress();
            isProgressing = false;
            assertThat(System.nanoTime() - deadline).as("nanoseconds over time").isNegative();
        }
    }

    @Test
    @Requirement({"DRDMA-CM-6a", "DRDMA-CM-6c", "DRDMA-EVT-2a"})
    void theFourCallbacksRunInProgressOnly() {
        server.rdma.onConnection(atServer).start();
        client.rdma.onConnection(atClient).start();
        RdmaAddress address = server.address(server.rdma.listen(0));
        client.rdma.connectTo(address, null);
        progressUntil(() -> !atServer.requested.isEmpty());
        atServer.requested.getFirst().accept();
        progressUntil(() -> atClient.established.size() + atServer.established.size() == 2);
        atClient.established.getFirst().disconnect();
        assertThat(atClient.disconnected).as("in disconnect").isEmpty();
        progressUntil(() -> atClient.disconnected.size() + atServer.disconnected.size() == 2);
        client.rdma.connectTo(address, null);
        progressUntil(() -> atServer.requested.size() == 2);
        atServer.requested.getLast().reject();
        progressUntil(() -> !atClient.failed.isEmpty());

        assertThat(ran).containsExactlyInAnyOrder(ConnectionNotes.Callback.values());
        assertThat(outside).as("callbacks outside of progress").isEmpty();
    }

    @Test
    @Requirement("DRDMA-CM-6a")
    void callbacksAreSetWhileIdle() {
        server.rdma.onConnection(new ConnectionNotes());
        server.rdma.onConnection(atServer).start();
        assertRefused(DocaError.BAD_STATE, () -> server.rdma.onConnection(atClient), "RUNNING");
    }

    @Test
    @Requirement("DRDMA-CM-6b")
    void aPureClientNeedsNoCallbackForRequests() {
        atServer.answer = RdmaConnection::accept;
        server.rdma.onConnection(atServer).start();
        List<RdmaConnection> established = new ArrayList<>();
        client.rdma
                .onConnection(
                        new ConnectionHandler() {
                            @Override
                            public void established(RdmaConnection connection) {
                                established.add(connection);
                            }
                        })
                .start();
        RdmaConnection ours = client.rdma.connectTo(server.address(server.rdma.listen(0)), null);
        progressUntil(() -> !established.isEmpty());
        assertThat(established).containsExactly(ours);
    }

    @Test
    @Requirement("DRDMA-CM-6b")
    void whoeverHasNoCallbackForRequestsRejectsThem() {
        server.rdma.onConnection(new ConnectionHandler() {}).start();
        client.rdma.onConnection(atClient).start();
        client.rdma.connectTo(server.address(server.rdma.listen(0)), null);
        progressUntil(() -> !atClient.failed.isEmpty());
        assertThat(atClient.errors).containsExactly(DocaError.CONNECTION_ABORTED);
        assertThat(atClient.established).isEmpty();
    }

    /// More threads spin than there are processors to carry them.
    @Test
    @Requirement("DJAVA-PE-4")
    void virtualThreadsThatProgressLeaveTheirProcessorsToOthers() {
        int clients = 2 * Runtime.getRuntime().availableProcessors();
        atServer.answer = RdmaConnection::accept;
        server.rdma
                .maxNumConnections(clients)
                .connectionRequestTimeout(PATIENCE)
                .onConnection(atServer)
                .start();
        RdmaAddress address = server.address(server.rdma.listen(0));
        AtomicInteger connected = new AtomicInteger();
        for (int i = 0; i < clients; i++) {
            Thread.ofVirtual().start(() -> connectTo(address, connected));
        }
        server.progressUntil(() -> connected.get() == clients);
    }

    private void connectTo(RdmaAddress address, AtomicInteger connected) {
        try (RdmaEnd end = new RdmaEnd(device())) {
            ConnectionNotes notes = new ConnectionNotes();
            end.rdma.connectionRequestTimeout(PATIENCE).onConnection(notes).start();
            end.rdma.connectTo(address, null);
            end.engine.progressUntil(() -> !notes.established.isEmpty(), PATIENCE);
            connected.incrementAndGet();
        }
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void aGatedContextMakesNoConnectionByAddressInAnyState(boolean hasHandler) {
        RdmaAddress address = RdmaAddress.ipv4("127.0.0.1", 4000);
        if (hasHandler) {
            client.rdma.onConnection(atClient).connectionMode(ConnectionMode.GATED);
        }
        for (CtxState state : List.of(CtxState.STARTING, CtxState.RUNNING)) {
            if (state == CtxState.STARTING) {
                client.rdma.start();
            } else {
                client.rdma.stop();
                RdmaEnd.connect(client, server);
            }
            assertThat(client.rdma.state()).isEqualTo(state);
            assertRefused(
                    DocaError.NOT_PERMITTED,
                    () -> client.rdma.connectTo(address, null),
                    "by address in mode GATED",
                    "connection handler");
            assertRefused(DocaError.NOT_PERMITTED, () -> client.rdma.listen(0), "by address");
        }
    }

    @Test
    @Requirement("DRDMA-EVT-2b")
    void aGatedContextHasNoneOfTheseEvents() {
        server.rdma.onConnection(atServer).connectionMode(ConnectionMode.GATED);
        client.rdma.onConnection(atClient).connectionMode(ConnectionMode.GATED);
        isProgressing = true;
        RdmaEnd.connect(server, client);
        ReceiveTask receive = server.rdma.allocReceive();
        receive.submitOrThrow();
        RdmaPairContract.assertSucceeds(client, client.peer.allocSend());
        client.rdma.stop();
        server.rdma.stop();
        server.progressUntil(() -> server.rdma.inFlightTasks() == 0);
        assertThat(client.rdma.state()).isEqualTo(CtxState.STOPPING);
        assertThat(ran).isEmpty();
    }
}
