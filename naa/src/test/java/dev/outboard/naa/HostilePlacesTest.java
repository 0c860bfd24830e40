package dev.outboard.naa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.outboard.fabric.Device;
import dev.outboard.naa.MrspMessage.AdvertiseRequest;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.naa.server.ServerUnderTest;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/// Clients with a proper connection that hold places, memory and workers and do little with them.
/// All time limits are an hour: only that others want what they hold makes them lose it.
class HostilePlacesTest extends HostileSuite {
    private static final int CALL_INCREMENT = 0x81;
    private static final Duration HOUR = Duration.ofHours(1);
    private static final int MANY = 4;

    private static ServerOptions.Builder patient() {
        return ServerOptions.builder()
                .maxConnections(MANY)
                .maxTotalBytes(TOTAL_BYTES)
                .setupLimit(HOUR)
                .transferLimit(HOUR)
                .routineLimit(HOUR)
                .probe(Duration.ZERO, Duration.ZERO);
    }

    private static AdvertiseRequest oneRegion(RawClient client) {
        return new AdvertiseRequest(
                List.of(client.region(RegionFlags.INPUT | RegionFlags.OUTPUT, 100)));
    }

    /// Connects as soon as the server lets it.
    private NaaClient openSoon(MemorySegment memory) {
        NaaClient[] open = new NaaClient[1];
        Eventually.until(() -> {
            try {
                open[0] = goodClient(memory);
                return true;
            } catch (NaaConnectException e) {
                assertThat(e).hasMessageContaining("all %d connections are in use".formatted(MANY));
                return false;
            }
        });
        return open[0];
    }

    private long counted(String name) {
        return server.server.counters().getOrDefault(name, 0L);
    }

    @Test
    @Requirement("NAA-MULTI-4")
    void whoAsksForNothingLosesThePlaceToOthers() {
        serve(patient());
        MemorySegment memory = server.memory(100, 0);
        List<RawClient> silent = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            silent.add(raw());
        }
        try (NaaClient good = openSoon(memory)) {
            assertServed(good, memory);
            assertThat(server.awaitEvent("failed"))
                    .contains("asked for no regions for ")
                    .contains("while others wanted its place");
            assertThat(counted("evicted.no-regions")).isEqualTo(1);
            // The others keep theirs, for nobody wants them.
            Eventually.until(() -> server.server.connections().size() == MANY);
        }
        silent.forEach(RawClient::close);
        assertServesAsBefore();
    }

    @Test
    @Requirement("NAA-MULTI-4")
    void whoAcknowledgesNothingLosesThePlaceToOthers() {
        serve(patient().maxConnections(1));
        MemorySegment memory = server.memory(100, 0);
        try (RawClient deaf = raw(clientDevice, 7)) {
            PeerRegion region = deaf.setUp(oneRegion(deaf)).getFirst();
            // No receive is posted: the answer finds the receiver not ready, for ever.
            deaf.call(region, 0, CALL_INCREMENT);
            NaaClient[] open = new NaaClient[1];
            Eventually.until(() -> {
                try {
                    open[0] = goodClient(memory);
                    return true;
                } catch (NaaConnectException _) {
                    return false;
                }
            });
            try (NaaClient good = open[0]) {
                assertServed(good, memory);
            }
            assertThat(server.awaitEvent("failed")).contains("acknowledged nothing for ");
            assertThat(counted("evicted.stalled")).isEqualTo(1);
        }
        assertServesAsBefore();
    }

    @Test
    @Requirement("NAA-MULTI-4")
    void whoCallsNothingLosesThePlaceToOthersTheLongestIdleFirst() {
        serve(patient().evictAfter(Duration.ofMillis(500)));
        List<NaaClient> idle = new ArrayList<>();
        MemorySegment memory = server.memory(100, 0);
        for (int i = 0; i < MANY; i++) {
            idle.add(goodClient(server.memory(100, 0)));
        }
        // The first one has called last.
        idle.getFirst().invoke();
        try (NaaClient good = openSoon(memory)) {
            assertServed(good, memory);
            assertThat(server.awaitEvent("failed")).contains("called nothing for ");
            assertThat(counted("evicted.idle")).isEqualTo(1);
            assertThat(idle.getFirst().invoke().isSuccess()).isTrue();
            assertThat(idle.get(2).invoke().isSuccess()).isTrue();
            assertThat(idle.get(3).invoke().isSuccess()).isTrue();
            assertThat(catchThrowableOfType(NaaException.class, idle.get(1)::invoke)).isNotNull();
        }
        idle.forEach(NaaClient::close);
        assertServesAsBefore();
    }

    /// A client whose routine runs is never idle, and one that has a place and time keeps it.
    @Test
    @Requirement("NAA-MULTI-3")
    void whoUsesThePlaceKeepsIt() {
        HeldRoutine held = new HeldRoutine();
        serve(patient().maxConnections(1).evictAfter(Duration.ofMillis(1)), held);
        try (NaaClient busy = client(10).functionCode(CUSTOM).open()) {
            CompletableFuture<RpcResult> call = busy.invokeAsync();
            held.awaitCall();
            assertThat(catchThrowableOfType(NaaConnectException.class, client(10)::open))
                    .hasMessageContaining("all 1 connections are in use");
            held.release();
            assertThat(call.join().isSuccess()).isTrue();
        }
        assertThat(counted("evicted.idle")).isZero();
    }

    // ---- shares of an address -------------------------------------------------------------------

    @Test
    @Requirement({"NAA-MULTI-3", "NAA-LIM-5"})
    void anAddressHasItsShareOfPlacesAndMemory() {
        serve(patient().maxAddressConnections(2).maxAddressBytes(150));
        MemorySegment memory = server.memory(100, 0);
        try (Device other = open();
                NaaClient first = goodClient(memory)) {
            MrspException tooMuch = catchThrowableOfType(MrspException.class, client(51)::open);
            assertThat(tooMuch.code()).isEqualTo(MrspException.NO_MEMORY);
            String host = clientDevice.address().getHostAddress();
            assertThat(server.awaitEvent("failed"))
                    .contains(
                            "51 bytes more for %s; all clients there together get 150"
                                    .formatted(host));
            try (NaaClient _ = goodClient(server.memory(50, 0))) {
                assertThat(catchThrowableOfType(NaaConnectException.class, client(1)::open))
                        .hasMessageContaining("all 2 connections of %s are in use".formatted(host));
                // Another address is not concerned.
                try (NaaClient stranger =
                        NaaClient.builder(server.host, server.server.port())
                                .device(other)
                                .functionCode(ServerUnderTest.NOTHING)
                                .region(RegionSpec.inputOutput(server.memory(150, 0)))
                                .open()) {
                    assertThat(stranger.invoke().isSuccess()).isTrue();
                }
            }
            assertServed(first, memory);
        }
        assertThat(server.server.counters())
                .containsEntry("refused.address-bytes", 1L)
                .containsEntry("rejected.address-full", 1L)
                .containsEntry("rejected.full", 0L);
    }

    @Test
    @Requirement("NAA-MULTI-5")
    void longCallsOfAnAddressLeaveAWorkerToOthers() {
        HeldRoutine held = new HeldRoutine();
        serve(patient().workers(3), held);
        List<NaaClient> greedy = new ArrayList<>();
        List<CompletableFuture<RpcResult>> calls = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            greedy.add(client(10).functionCode(CUSTOM).open());
            calls.add(greedy.getLast().invokeAsync());
        }
        Eventually.until(() -> counted("workers.queued") == 1);
        try (Device other = open();
                NaaClient good =
                        NaaClient.builder(server.host, server.server.port())
                                .device(other)
                                .functionCode(ServerUnderTest.NOTHING)
                                .region(RegionSpec.inputOutput(server.memory(10, 0)))
                                .open()) {
            assertThat(good.invoke().isSuccess()).isTrue();
            assertThat(calls).noneMatch(CompletableFuture::isDone);
        }
        held.release();
        calls.forEach(call -> assertThat(call.join().isSuccess()).isTrue());
        greedy.forEach(NaaClient::close);
    }

    @Test
    @Requirement("NAA-MULTI-5")
    void addressesTakeTurnsAtTheWorkers() {
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        HeldRoutine held =
                new HeldRoutine(rpc -> {
                    order.add(rpc.userByte(0));
                    return ReturnCode.SUCCESS;
                });
        serve(patient().maxConnections(6).workers(1), held);
        List<NaaClient> clients = new ArrayList<>();
        List<CompletableFuture<RpcResult>> calls = new ArrayList<>();
        try (Device other = open()) {
            for (int i = 0; i < 6; i++) {
                NaaClient client =
                        client(10).functionCode(CUSTOM).device(i < 5 ? clientDevice : other).open();
                client.setUserImmediate((byte) i, (byte) 0, (byte) 0);
                clients.add(client);
                calls.add(client.invokeAsync());
                long waiting = i;
                Eventually.until(() -> counted("workers.queued") == waiting);
                held.awaitCall();
            }
            held.release();
            calls.forEach(call -> assertThat(call.join().isSuccess()).isTrue());
            clients.forEach(NaaClient::close);
        }
        // Whoever came last, alone, has four of the other address before it but waits for one.
        assertThat(order).containsExactly(0, 1, 5, 2, 3, 4);
    }

    // ---- abandoned calls ------------------------------------------------------------------------

    /// NAA-MULTI-4: the routine is told, by the question it asks and by an interrupt.
    @Test
    @Requirement("NAA-MULTI-4")
    void whoLeavesDuringACallFreesWorkerAndPlace() {
        serve(
                patient().maxConnections(1).workers(1),
                RoutineSpec.of(
                        CUSTOM,
                        "asking",
                        rpc -> {
                            while (!rpc.isCancelled()) {
                                Thread.onSpinWait();
                            }
                            return ReturnCode.SUCCESS;
                        }),
                RoutineSpec.of(
                        CUSTOM + 1,
                        "sleeping",
                        _ -> {
                            new CountDownLatch(1).await();
                            return ReturnCode.SUCCESS;
                        }));
        for (int function = CUSTOM; function <= CUSTOM + 1; function++) {
            NaaClient leaving = client(10).functionCode(function).open();
            leaving.startRpc();
            Eventually.until(server::calculating);
            leaving.close();
            Eventually.until(() -> {
                try (NaaClient next = client(10).functionCode(ServerUnderTest.NOTHING).open()) {
                    return next.invoke().isSuccess();
                } catch (NaaConnectException _) {
                    return false;
                }
            });
        }
        assertThat(counted("routines.abandoned")).isEqualTo(2);
        assertThat(counted("routine.asking.calls")).isEqualTo(1);
        Eventually.until(() -> counted("workers.stuck") == 0);
    }
}
