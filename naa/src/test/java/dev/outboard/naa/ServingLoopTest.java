package dev.outboard.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Device;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.naa.server.RpcContext;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The one thread that serves all clients, and what becomes of it when a routine keeps it.
class ServingLoopTest extends SessionSuite {
    private static final int CLIENTS = 24;
    private static final int CALLS = 3;

    private final CountDownLatch release = new CountDownLatch(1);
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

    @Override
    Device open() {
        return roce();
    }

    @AfterEach
    void releaseRoutines() {
        release.countDown();
    }

    @Test
    @Requirement("NAA-MULTI-1")
    void clientsHaveNoThreadOfTheirOwn() {
        serve(
                ServerOptions.builder().maxConnections(CLIENTS).shortLimit(ServerOptions.POLLED),
                RoutineSpec.of(CUSTOM, "custom", this::noteThread).asShort());
        List<NaaClient> clients = new ArrayList<>();
        try {
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(client(10).functionCode(CUSTOM).open());
            }
            for (int i = 0; i < CALLS; i++) {
                List<CompletableFuture<RpcResult>> calls =
                        clients.stream().map(NaaClient::invokeAsync).toList();
                assertThat(calls).allMatch(call -> call.join().isSuccess());
            }
        } finally {
            clients.forEach(NaaClient::close);
        }
        assertThat(server.server.counters())
                .containsEntry("routine.custom.calls", (long) CLIENTS * CALLS);
        // Where the machine keeps the thread from running for long, another goes on.
        assertThat(threads).hasSizeBetween(1, CLIENTS / 2);
    }

    private int noteThread(RpcContext rpc) {
        threads.add(Thread.currentThread());
        return ReturnCode.SUCCESS;
    }

    @Test
    @Requirement("NAA-MULTI-5")
    void aShortRoutineThatTakesLongKeepsNobodyElseFromAnAnswer() {
        serve(
                ServerOptions.builder().maxConnections(3),
                RoutineSpec.of(CUSTOM, "custom", this::waitOnce).asShort());
        try (NaaClient first = client(10).open();
                NaaClient slow = client(10).functionCode(CUSTOM).open();
                NaaClient second = client(10).open()) {
            CompletableFuture<RpcResult> call = slow.invokeAsync();
            Eventually.until(server::calculating);
            for (int i = 0; i < CALLS; i++) {
                assertThat(first.invoke().isSuccess()).isTrue();
                assertThat(second.invoke().isSuccess()).isTrue();
            }
            assertThat(call).isNotDone();

            release.countDown();
            assertThat(call.join().isSuccess()).isTrue();
            assertThat(slow.invoke().isSuccess()).isTrue();
            assertThat(first.invoke().isSuccess()).isTrue();
            assertThat(threads).hasSizeGreaterThan(1);
        }
    }

    private int waitOnce(RpcContext rpc) throws InterruptedException {
        threads.add(Thread.currentThread());
        release.await();
        return ReturnCode.SUCCESS;
    }
}
