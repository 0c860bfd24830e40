package dev.outboard.naa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Device;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.server.NaaServerContext;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/// One thread owns a session; this one only asks where it stands.
class StateFromAnyThreadTest extends SessionSuite {
    @Override
    Device open() {
        return roce();
    }

    @Test
    @Requirement("NAA-STATE-6a")
    void aClientTellsWhileItsOwnThreadWaits() {
        HeldRoutine held = new HeldRoutine();
        serve(ServerOptions.builder(), held);
        try (NaaClient client = client(10)) {
            assertThat(client.state()).isEqualTo(NaaState.INIT);
            onAnotherThread(
                            () -> {
                                client.connect();
                                client.registerRegions();
                                client.runMrsp();
                            })
                    .join();
            assertThat(client.state()).isEqualTo(NaaState.MRSP_DONE);
            CompletableFuture<Void> call = onAnotherThread(client::invoke);
            held.awaitCall();
            Eventually.until(() -> client.state() == NaaState.DATA_RECEIVING);
            assertThat(call).isNotDone();
            held.release();
            call.join();
            assertThat(client.state()).isEqualTo(NaaState.FINISHED);
            onAnotherThread(client::close).join();
            assertThat(client.state()).isEqualTo(NaaState.DISCONNECTED);
        }
    }

    @Test
    @Requirement("NAA-STATE-6a")
    void aClientTellsWhileItConnectsAndAfterItFailed() {
        NaaClient client =
                NaaClient.builder("127.0.0.251")
                        .device(clientDevice)
                        .connectLimit(Duration.ofMinutes(1))
                        .region(RegionSpec.input(Arena.ofAuto().allocate(8)))
                        .build();
        CompletableFuture<Void> connecting = onAnotherThread(client::connect);
        Eventually.until(() -> client.state() == NaaState.READY);
        assertThat(connecting).isNotDone();
        client.close();
        assertThatThrownBy(connecting::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(NaaConnectException.class);
        assertThat(client.state()).isEqualTo(NaaState.DISCONNECTED);
    }

    @Test
    @Requirement("NAA-STATE-6b")
    void aConnectionOfAServerTellsWhileItsThreadsWork() {
        HeldRoutine held = new HeldRoutine();
        serve(ServerOptions.builder(), held);
        NaaServerContext connection;
        try (NaaClient client = client(10)) {
            client.connect();
            Eventually.until(() -> !server.server.connections().isEmpty());
            connection = server.server.connections().getFirst();
            Eventually.until(() -> connection.state() == NaaState.MRSP_RECEIVING);
            client.registerRegions();
            client.runMrsp();
            Eventually.until(() -> connection.state() == NaaState.DATA_RECEIVING);
            CompletableFuture<RpcResult> call = client.invokeAsync();
            held.awaitCall();
            Eventually.until(() -> connection.state() == NaaState.CALCULATING);
            held.release();
            call.join();
            Eventually.until(() -> connection.state() == NaaState.DATA_RECEIVING);
        }
        Eventually.until(() -> connection.state() == NaaState.DISCONNECTED);
    }

    private NaaClient client(int bytes) {
        return server.client()
                .functionCode(CUSTOM)
                .region(RegionSpec.inputOutput(server.memory(bytes, 0)))
                .build();
    }

    private static CompletableFuture<Void> onAnotherThread(Runnable work) {
        return CompletableFuture.runAsync(work, task -> Thread.ofPlatform().daemon().start(task));
    }
}
