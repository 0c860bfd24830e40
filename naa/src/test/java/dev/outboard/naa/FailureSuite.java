package dev.outboard.naa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.outboard.naa.MrspMessage.Advertise;
import dev.outboard.naa.MrspMessage.AdvertiseRequest;
import dev.outboard.naa.MrspMessage.MrspError;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.client.NaaClientBuilder;
import dev.outboard.naa.server.AddressPrefix;
import dev.outboard.naa.server.Admission;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/// What goes wrong in sessions, the same over every fabric.
abstract class FailureSuite extends SessionSuite {
    RawClient raw() {
        return new RawClient(
                clientDevice, new InetSocketAddress(serverDevice.address(), server.server.port()));
    }

    // ---- hostile clients ------------------------------------------------------------------------

    @Test
    @Requirement({"NAA-CONN-16", "NAA-ROB-2"})
    void survivesAClientThatConnectsAndLeaves() {
        serve(ServerOptions.builder().maxConnections(1));
        for (int i = 0; i < 3; i++) {
            raw().close();
            awaitNoConnections();
        }
        try (NaaClient good = client(10).open()) {
            assertThat(good.invoke().isSuccess()).isTrue();
        }
    }

    @Test
    @Requirement({"NAA-MRSP-24", "NAA-MRSP-21", "NAA-MRSP-22", "NAA-MULTI-5", "NAA-ROB-2"})
    void survivesMalformedMessagesWithOthersUndisturbed() {
        serve(ServerOptions.builder().maxConnections(2));
        List<byte[]> messages =
                List.of(
                        new byte[0],
                        new byte[] {1},
                        new byte[] {1, 1, 0, 0},
                        new byte[] {1, 0, 0, 0},
                        new byte[] {2, 1, 0, 0},
                        new byte[] {3, 1, 0, 0},
                        new byte[] {(byte) 0xff, 1, 0, 0},
                        new byte[] {1, (byte) 255, 0, 0, 5, 5, 5},
                        new byte[6124]);
        try (NaaClient good = client(10).open()) {
            good.invoke();
            for (byte[] message : messages) {
                try (RawClient bad = raw()) {
                    bad.send(message);
                    // Type 0 is an error that the client reports: nobody answers it.
                    if (message.length != 6124) {
                        assertThat(bad.awaitMessage())
                                .hasValue(new MrspError(MrspException.MALFORMED));
                    }
                    server.awaitEvent("failed");
                    Eventually.until(() -> server.server.connections().size() == 1);
                }
                assertThat(good.invoke().isSuccess()).isTrue();
            }
        }
    }

    @Test
    @Requirement("NAA-MRSP-24")
    void answersMessagesOutOfSequenceWithAnError() {
        serve(ServerOptions.builder());
        try (RawClient bad = raw()) {
            bad.send(new Advertise(List.of(new PeerRegion(1, 2, 3))));
            assertThat(bad.awaitMessage()).hasValue(new MrspError(MrspException.MALFORMED));
        }
        server.awaitEvent("failed");
    }

    @Test
    @Requirement({"NAA-ROB-2", "NAA-LIM-5", "NAA-MRSP-22"})
    void refusesMoreThanItsLimitsAllow() {
        serve(ServerOptions.builder().maxRegions(4).maxConnectionBytes(1 << 20));
        try (RawClient huge = raw()) {
            huge.send(
                    new AdvertiseRequest(
                            Collections.nCopies(4, huge.region(RegionFlags.INPUT, 0xffff_ffffL))));
            assertThat(huge.awaitMessage()).hasValue(new MrspError(MrspException.NO_MEMORY));
        }
        try (RawClient many = raw()) {
            many.send(
                    new AdvertiseRequest(
                            Collections.nCopies(5, many.region(RegionFlags.INPUT, 1))));
            assertThat(many.awaitMessage()).hasValue(new MrspError(MrspException.TOO_MANY_REGIONS));
        }
        NaaClientBuilder large = client((1 << 20) + 1);
        MrspException refused = catchThrowableOfType(MrspException.class, large::open);
        assertThat(refused.code()).isEqualTo(MrspException.NO_MEMORY);
        try (NaaClient good = client(1 << 20).open()) {
            assertThat(good.invoke().isSuccess()).isTrue();
        }
    }

    @Test
    @Requirement({"NAA-LIM-5", "NAA-DISC-4"})
    void sharesABudgetThatIsGivenBackWithTheConnection() {
        serve(ServerOptions.builder().maxConnections(3).maxTotalBytes(1000));
        for (int i = 0; i < 3; i++) {
            try (NaaClient first = client(600).open()) {
                assertThat(catchThrowableOfType(MrspException.class, client(500)::open).code())
                        .isEqualTo(MrspException.NO_MEMORY);
                try (NaaClient second = client(400).open()) {
                    assertThat(second.invoke().isSuccess()).isTrue();
                }
                assertThat(first.invoke().isSuccess()).isTrue();
            }
            awaitNoConnections();
        }
    }

    @Test
    @Requirement({"NAA-ROB-2", "NAA-DISC-3", "NAA-MULTI-4"})
    void survivesADisconnectInEveryState() {
        HeldRoutine held = new HeldRoutine();
        serve(ServerOptions.builder().maxConnections(1), held);
        List<NaaState> left = new ArrayList<>();
        for (int steps = 0; steps < 6; steps++) {
            try (NaaClient client = client(10).functionCode(CUSTOM).build()) {
                walk(client, steps, held);
                left.add(client.state());
            }
            held.release();
            awaitNoConnections();
        }
        assertThat(left)
                .contains(NaaState.INIT, NaaState.CONNECTED, NaaState.MRSP_SENDING)
                .contains(NaaState.MRSP_DONE, NaaState.FINISHED);
        try (NaaClient good = client(10).open()) {
            assertThat(good.invoke().isSuccess()).isTrue();
        }
    }

    private static void walk(NaaClient client, int steps, HeldRoutine held) {
        if (steps > 0) {
            client.connect();
            client.registerRegions();
        }
        if (steps == 2) {
            client.startMrsp();
        }
        if (steps > 2) {
            client.runMrsp();
        }
        if (steps == 4) {
            client.startRpc();
            held.awaitCall();
        }
        if (steps == 5) {
            client.invoke();
        }
    }

    // ---- admission ------------------------------------------------------------------------------

    @Test
    @Requirement({"NAA-MULTI-2a", "NAA-MULTI-3", "NAA-MULTI-4", "NAA-CONN-7"})
    void rejectsOneClientTooManyAndTakesTheNextWhenOneHasLeft() {
        serve(ServerOptions.builder().maxConnections(2));
        try (NaaClient _ = client(10).open()) {
            try (NaaClient _ = client(10).open()) {
                NaaConnectException rejected =
                        catchThrowableOfType(NaaConnectException.class, client(10)::open);
                assertThat(rejected.reason()).isEqualTo(NaaConnectException.Reason.REJECTED);
                assertThat(rejected.rejectReason()).isEqualTo(28);
                assertThat(new String(rejected.rejectData(), StandardCharsets.US_ASCII))
                        .startsWith("all 2 connections are in use\0");
                assertThat(rejected).hasMessageContaining("all 2 connections are in use");
                server.awaitEvent("rejected");
            }
            Eventually.until(() -> server.server.connections().size() == 1);
            try (NaaClient next = client(10).open()) {
                assertThat(next.invoke().isSuccess()).isTrue();
            }
        }
    }

    @Test
    @Requirement("NAA-ROB-4")
    void admitsWhomItIsToldTo() {
        AddressPrefix stranger = AddressPrefix.parse("192.0.2.0/24");
        serve(ServerOptions.builder().admission(Admission.only(List.of(stranger))));
        NaaConnectException rejected =
                catchThrowableOfType(NaaConnectException.class, client(10)::open);
        String client = clientDevice.address().getHostAddress();
        assertThat(rejected).hasMessageContaining(client + " is not allowed here");
        assertThat(rejected.rejectReason()).isEqualTo(28);
        // The server counts once the client knows.
        Eventually.until(() -> server.server.counters().get("rejected.not-allowed") == 1);
        server.close();
        Admission small =
                (peer, sizes) ->
                        peer.getAddress().equals(clientDevice.address())
                                && sizes.stream().allMatch(size -> size <= 100);
        serve(ServerOptions.builder().admission(small));
        assertThat(catchThrowableOfType(MrspException.class, client(101)::open).code())
                .isEqualTo(MrspException.NO_MEMORY);
        try (NaaClient good = client(100).open()) {
            assertThat(good.invoke().isSuccess()).isTrue();
        }
    }

    // ---- ends -----------------------------------------------------------------------------------

    @Test
    @Requirement({"NAA-TIME-1", "NAA-TIME-2", "NAA-DISC-5", "NAA-RET-14"})
    void anRpcThatTimesOutLeavesTheClientOnlyToBeClosed() {
        AtomicBoolean called = new AtomicBoolean();
        AtomicBoolean cancelled = new AtomicBoolean();
        serve(
                ServerOptions.builder(),
                rpc -> {
                    called.set(true);
                    while (!rpc.isCancelled()) {
                        LockSupport.parkNanos(1_000_000);
                    }
                    rpc.parameter(0).memory().fill((byte) 99);
                    cancelled.set(true);
                    return ReturnCode.SUCCESS;
                });
        MemorySegment memory = server.memory(10, 0);
        try (NaaClient client =
                server.client()
                        .functionCode(CUSTOM)
                        .region(RegionSpec.inputOutput(memory))
                        .open()) {
            NaaTimeoutException failure =
                    catchThrowableOfType(
                            NaaTimeoutException.class, () -> client.invoke(Duration.ofSeconds(1)));
            assertThat(failure.phase()).isEqualTo(NaaException.Phase.RPC);
            assertThat(failure.state()).isEqualTo(NaaState.DATA_RECEIVING);
            assertThat(client.state()).isEqualTo(NaaState.ERROR);
            assertThatIllegalStateException().isThrownBy(client::invoke);
        }
        server.awaitEvent("disconnected");
        awaitNoConnections();
        // On a busy machine the client may have left before its call could begin.
        Eventually.until(() -> cancelled.get() == called.get());
        assertThat(memory.mismatch(server.memory(10, 0))).isEqualTo(-1);
    }

    @Test
    @Requirement({"NAA-DISC-3", "NAA-API-3", "NAA-DISC-4"})
    void closingFromAnotherThreadEndsACall() throws Exception {
        HeldRoutine held = new HeldRoutine();
        serve(ServerOptions.builder(), held);
        MemorySegment memory = server.memory(10, 0);
        NaaClient client =
                server.client().functionCode(CUSTOM).region(RegionSpec.inputOutput(memory)).open();
        CompletableFuture<RpcResult> call = CompletableFuture.supplyAsync(client::invoke);
        held.awaitCall();
        client.close();
        client.close();
        assertThat(client.state()).isEqualTo(NaaState.DISCONNECTED);
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> call.get(30, TimeUnit.SECONDS))
                .withCauseInstanceOf(NaaConnectException.class);
        assertThatIllegalStateException()
                .isThrownBy(client::invoke)
                .withMessageContaining("DISCONNECTED");
        held.release();
        memory.fill((byte) 1);
    }

    @Test
    @Requirement({"NAA-MULTI-8", "NAA-DISC-6"})
    void shuttingDownLetsARunningRoutineEnd() throws Exception {
        HeldRoutine held = new HeldRoutine();
        serve(
                ServerOptions.builder().maxConnections(3).shutdownLimit(Duration.ofSeconds(30)),
                held);
        try (NaaClient busy = client(10).functionCode(CUSTOM).open();
                NaaClient idle = client(10).open()) {
            CompletableFuture<RpcResult> call = busy.invokeAsync();
            held.awaitCall();
            CompletableFuture<Void> closing = CompletableFuture.runAsync(server.server::close);
            Eventually.until(() -> rejects("the server is shutting down"));
            assertThat(catchThrowableOfType(RpcException.class, idle::invoke).returnCode())
                    .isEqualTo(ReturnCode.SHUTTING_DOWN);
            assertThat(call).isNotDone();
            held.release();
            assertThat(call.get(30, TimeUnit.SECONDS).isSuccess()).isTrue();
            closing.get(30, TimeUnit.SECONDS);
            assertThat(catchThrowableOfType(NaaException.class, client(10)::open)).isNotNull();
            assertThat(server.server.counters())
                    .containsEntry("routines.shutting-down", 1L)
                    .hasEntrySatisfying(
                            "rejected.shutting-down", count -> assertThat(count).isPositive());
        }
    }

    private boolean rejects(String why) {
        try (NaaClient _ = client(10).open()) {
            return false;
        } catch (NaaConnectException e) {
            return e.getMessage().contains(why);
        }
    }

    @Test
    @Requirement("NAA-MULTI-8")
    void shuttingDownDoesNotWaitForARoutineThatNeverEnds() {
        CountDownLatch running = new CountDownLatch(1);
        serve(
                ServerOptions.builder().shutdownLimit(Duration.ofMillis(50)),
                _ -> {
                    running.countDown();
                    while (true) {
                        Thread.onSpinWait();
                        if (server.stopped) {
                            return ReturnCode.SUCCESS;
                        }
                    }
                });
        try (NaaClient client = client(10).functionCode(CUSTOM).open()) {
            CompletableFuture<RpcResult> call = client.invokeAsync();
            Eventually.until(() -> running.getCount() == 0);
            server.server.close();
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> call.get(30, TimeUnit.SECONDS));
        } finally {
            server.stopped = true;
        }
    }

    @Test
    @Requirement({"NAA-TIME-4", "NAA-CONN-8", "NAA-STATE-8"})
    void aServerThatEndsTheConnectionFailsTheCallAtOnce() {
        CountDownLatch never = new CountDownLatch(1);
        serve(
                ServerOptions.builder(),
                _ -> {
                    never.await();
                    return ReturnCode.SUCCESS;
                });
        try (NaaClient client = client(10).functionCode(CUSTOM).open()) {
            client.startRpc();
            Eventually.until(() -> client.pollCompletions() >= 0 && server.calculating());
            server.breakConnections();
            NaaConnectException failure =
                    catchThrowableOfType(
                            NaaConnectException.class,
                            () -> {
                                // The acknowledgement of the inputs may come first.
                                for (int news = 0; news < 10; news++) {
                                    client.awaitCompletions(Duration.ofSeconds(30));
                                }
                            });
            assertThat(failure.reason()).isEqualTo(NaaConnectException.Reason.DISCONNECTED);
            assertThat(client.state()).isEqualTo(NaaState.DISCONNECTED);
        }
        never.countDown();
    }

    @Test
    @Requirement({"NAA-CONN-13", "NAA-CONN-8"})
    void saysThatAHostIsUnknown() {
        NaaClientBuilder builder = NaaClient.builder("no.such.host.invalid").device(clientDevice);
        try (var arena = java.lang.foreign.Arena.ofShared()) {
            builder.region(RegionSpec.input(arena.allocate(1)));
            NaaConnectException failure =
                    catchThrowableOfType(NaaConnectException.class, builder::build);
            assertThat(failure.reason()).isEqualTo(NaaConnectException.Reason.ADDRESS_RESOLUTION);
            assertThat(failure).hasMessageContaining("no.such.host.invalid");
        }
    }

    @Test
    @Requirement({"NAA-ROB-6a", "NAA-ROB-6b", "NAA-ROB-6c", "NAA-ROB-6d"})
    void countsWhatHappens() {
        serve(ServerOptions.builder());
        try (NaaClient client = client(100).functionCode(99).open()) {
            assertThatExceptionOfType(RpcException.class).isThrownBy(client::invoke);
            assertThat(client.counters())
                    .containsEntry("rpcs", 1L)
                    .containsEntry("bytes.sent", 100L)
                    .containsEntry("bytes.received", 0L)
                    .containsEntry("errors.return-code", 1L);
            assertThat(client.counters().get("nanos.mrsp")).isPositive();
            assertThat(client.counters().get("nanos.transfer")).isPositive();
        }
        awaitNoConnections();
        assertThat(server.server.counters())
                .containsEntry("connections.ended", 1L)
                .containsEntry("rpcs", 1L)
                .containsEntry("bytes.received", 100L)
                .containsEntry("errors.return-code", 1L);
        assertThat(Optional.ofNullable(server.server.counters().get("nanos.calculation")))
                .hasValueSatisfying(nanos -> assertThat(nanos).isPositive());
    }
}
