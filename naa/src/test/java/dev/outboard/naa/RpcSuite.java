package dev.outboard.naa;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.client.NaaClientBuilder;
import dev.outboard.naa.client.SetupTimes;
import dev.outboard.naa.server.NaaListener;
import dev.outboard.naa.server.NaaServerContext;
import dev.outboard.naa.server.Routine;
import dev.outboard.naa.server.RoutineException;
import dev.outboard.naa.server.RpcContext;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.naa.server.ServerUnderTest;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Whole sessions, the same over every fabric.
abstract class RpcSuite extends SessionSuite {
    // ---- the plain path -------------------------------------------------------------------------

    @Test
    @Requirement({"NAA-SCOPE-1", "NAA-SCOPE-3", "NAA-API-2", "NAA-API-4"})
    void passesThroughThePhasesInOrderOrAllAtOnce() {
        serve(ServerOptions.builder());
        NaaClientBuilder builder =
                server.client().region(RegionSpec.inputOutput(server.memory(10, 0)));
        try (NaaClient client = builder.build()) {
            List<NaaState> states = new ArrayList<>();
            for (Runnable step :
                    List.<Runnable>of(
                            client::connect,
                            client::registerRegions,
                            client::runMrsp,
                            client::invoke,
                            client::close)) {
                step.run();
                states.add(client.state());
            }
            assertThat(states)
                    .containsExactly(
                            NaaState.CONNECTED,
                            NaaState.CONNECTED,
                            NaaState.MRSP_DONE,
                            NaaState.FINISHED,
                            NaaState.DISCONNECTED);
        }
        try (NaaClient client = builder.open()) {
            assertThat(client.invokeAsync().join().isSuccess()).isTrue();
        }
    }

    @Test
    @Requirement({"NAA-SCOPE-10", "NAA-RPC-1", "NAA-RPC-3", "NAA-RPC-5", "NAA-KERN-1"})
    void servesRpcAfterRpcInPlace() {
        serve(ServerOptions.builder());
        MemorySegment memory = server.memory(1000, 0);
        try (NaaClient client =
                server.client()
                        .functionCode(ServerUnderTest.INCREMENT)
                        .region(RegionSpec.inputOutput(memory))
                        .open()) {
            for (int i = 0; i < 5; i++) {
                assertThat(client.invoke().totalBytesReceived()).isEqualTo(1000);
            }
            memory.copyFrom(server.memory(1000, 100));
            client.invoke();
            assertThat(client.rpcCount()).isEqualTo(6);
            assertThat(client.state()).isEqualTo(NaaState.FINISHED);
        }
        assertThat(memory.mismatch(server.memory(1000, 101))).isEqualTo(-1);
    }

    @Test
    @Requirement({"NAA-XFER-8", "NAA-RPC-4", "NAA-RET-4"})
    void sendsPartOfARegionAndGetsAllOfIt() {
        serve(ServerOptions.builder());
        MemorySegment memory = server.memory(100, 0);
        try (NaaClient client =
                server.client()
                        .functionCode(ServerUnderTest.NOTHING)
                        .region(RegionSpec.inputOutput(memory))
                        .open()) {
            client.invoke();
            memory.fill((byte) 9);
            client.setBytesToSend(0, 10);
            assertThat(client.invoke().bytesReceived()).isEqualTo(100);
        }
        assertThat(memory.asSlice(0, 10).toArray(JAVA_BYTE)).containsOnly(9);
        assertThat(memory.get(JAVA_BYTE, 10)).isEqualTo((byte) 10);
    }

    @Test
    @Requirement({"NAA-XFER-21", "NAA-DISC-4"})
    void leavesInputsAsTheyAre() {
        serve(ServerOptions.builder());
        MemorySegment memory = server.memory(100, 0);
        for (int function : new int[] {ServerUnderTest.INCREMENT, 99}) {
            try (NaaClient client =
                    server.client()
                            .functionCode(function)
                            .region(RegionSpec.input(memory))
                            .open()) {
                client.startRpc();
                Eventually.until(
                        () -> client.pollCompletions() >= 0 && client.result().isPresent());
                assertThat(memory.mismatch(server.memory(100, 0))).isEqualTo(-1);
            }
            assertThat(memory.mismatch(server.memory(100, 0))).isEqualTo(-1);
        }
    }

    @Test
    @Requirement({"NAA-RET-2", "NAA-META-4", "NAA-META-8", "NAA-XFER-4"})
    void speaksAp1() {
        serve(ServerOptions.builder().dialect(Dialect.AP1_2023));
        MemorySegment first = server.memory(100, 0);
        MemorySegment second = server.memory(50, 0);
        try (NaaClient client =
                server.client()
                        .dialect(Dialect.AP1_2023)
                        .functionCode(ServerUnderTest.INCREMENT)
                        .region(RegionSpec.unmarked(first))
                        .region(RegionSpec.unmarked(second))
                        .open()) {
            assertThatIllegalStateException().isThrownBy(client::invoke);
            client.setReturnRegion(1);
            assertThat(client.invoke().bytesReceived()).isEqualTo(50);
            assertThat(first.mismatch(server.memory(100, 0))).isEqualTo(-1);
            assertThat(second.mismatch(server.memory(50, 1))).isEqualTo(-1);
            client.setReturnRegion(first);
            assertThat(client.invoke().bytesReceived()).isEqualTo(100);
            assertThat(first.mismatch(server.memory(100, 1))).isEqualTo(-1);
            assertThat(client.returnRegion()).hasValue(0);
        }
        assertThat(server.awaitEvent("disconnected")).isEqualTo("disconnected");
    }

    @Test
    @Requirement({"NAA-SCOPE-8", "NAA-MULTI-1", "NAA-MULTI-6", "NAA-MRSP-14"})
    void serversOfAnyDialectRecogniseEachClientsOwn() {
        serve(ServerOptions.builder().anyDialect().maxConnections(2));
        MemorySegment old = server.memory(100, 0);
        MemorySegment today = server.memory(100, 50);
        try (NaaClient ap1 =
                        server.client()
                                .dialect(Dialect.AP1_2023)
                                .region(RegionSpec.output(old))
                                .open();
                NaaClient up = server.client().region(RegionSpec.inputOutput(today)).open()) {
            for (int i = 0; i < 3; i++) {
                ap1.invoke();
                up.invoke();
            }
            assertThat(server.server.connections())
                    .extracting(context -> context.dialect().orElseThrow())
                    .containsExactlyInAnyOrder(Dialect.AP1_2023, Dialect.UPSTREAM_2026);
        }
        assertThat(old.mismatch(server.memory(100, 3))).isEqualTo(-1);
        assertThat(today.mismatch(server.memory(100, 53))).isEqualTo(-1);
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    @Requirement("NAA-SCOPE-11")
    void refusesTheOtherDialect(Dialect dialect) {
        serve(ServerOptions.builder().dialect(dialect));
        Dialect other = dialect == Dialect.AP1_2023 ? Dialect.UPSTREAM_2026 : Dialect.AP1_2023;
        NaaClientBuilder client =
                server.client().dialect(other).region(RegionSpec.inputOutput(server.memory(9, 0)));
        assertThatExceptionOfType(MrspException.class)
                .isThrownBy(client::open)
                .satisfies(e -> assertThat(e.code()).isEqualTo(MrspException.MALFORMED));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 31, 32, 255})
    @Requirement({"NAA-MRSP-1", "NAA-MRSP-7", "NAA-XFER-1", "NAA-RET-1"})
    void carriesManyRegions(int count) {
        serve(ServerOptions.builder().maxRegions(255));
        List<MemorySegment> memories =
                IntStream.range(0, count).mapToObj(i -> server.memory(1 + i, i)).toList();
        try (NaaClient client =
                server.client()
                        .maxRegions(255)
                        .regions(memories.stream().map(RegionSpec::inputOutput).toList())
                        .open()) {
            RpcResult result = client.invoke();
            assertThat(result.bytesReceived()).isEqualTo(count);
            assertThat(result.totalBytesReceived()).isEqualTo((long) count * (count + 1) / 2);
            assertThat(client.writesCompleted()).isEqualTo(count);
        }
        for (int i = 0; i < count; i++) {
            assertThat(memories.get(i).mismatch(server.memory(1 + i, i + 1))).isEqualTo(-1);
        }
    }

    @Test
    @Requirement({"NAA-LIM-6", "NAA-XFER-7", "NAA-RET-5"})
    void carriesNothing() {
        serve(ServerOptions.builder());
        MemorySegment empty = server.arena.allocate(0);
        MemorySegment some = server.memory(10, 0);
        List<List<RegionSpec>> sets =
                List.of(
                        List.of(RegionSpec.inputOutput(empty)),
                        List.of(RegionSpec.inputOutput(empty), RegionSpec.inputOutput(some)),
                        List.of(RegionSpec.inputOutput(some), RegionSpec.inputOutput(empty)),
                        List.of(RegionSpec.output(some)),
                        List.of(RegionSpec.input(some)),
                        List.of(RegionSpec.unmarked(some)),
                        List.of(RegionSpec.singleSend(some)));
        for (List<RegionSpec> regions : sets) {
            try (NaaClient client = server.client().regions(regions).open()) {
                assertThat(client.invoke().isSuccess()).as("%s", regions).isTrue();
                assertThat(client.invoke().isSuccess()).as("%s", regions).isTrue();
            }
            awaitNoConnections();
        }
    }

    // ---- other ways to call ---------------------------------------------------------------------

    @Test
    @Requirement({"NAA-POLL-1", "NAA-POLL-5", "NAA-CONN-1"})
    void worksWithoutBlockingCalls() {
        serve(ServerOptions.builder());
        MemorySegment memory = server.memory(100, 0);
        try (NaaClient client = server.client().region(RegionSpec.inputOutput(memory)).build()) {
            assertThat(client.state()).isEqualTo(NaaState.INIT);
            List<NaaState> states = new ArrayList<>();
            Eventually.until(() -> {
                client.pollAndHandleConnectionEvent(Duration.ZERO);
                note(states, client.state());
                return client.state() == NaaState.CONNECTED;
            });
            client.registerRegions();
            client.startMrsp();
            poll(client, NaaState.MRSP_DONE, states);
            for (int i = 0; i < 2; i++) {
                client.startRpc();
                assertThat(client.result()).isEmpty();
                poll(client, NaaState.FINISHED, states);
                assertThat(client.result()).get().extracting(RpcResult::isSuccess).isEqualTo(true);
            }
            assertThat(client.pollCompletions()).isZero();
            assertThat(states).contains(NaaState.CONNECTED, NaaState.MRSP_DONE, NaaState.FINISHED);
        }
        assertThat(memory.mismatch(server.memory(100, 2))).isEqualTo(-1);
    }

    private static void poll(NaaClient client, NaaState target, List<NaaState> states) {
        Eventually.until(() -> {
            client.pollCompletions();
            note(states, client.state());
            return client.state() == target;
        });
    }

    private static void note(List<NaaState> states, NaaState state) {
        if (states.isEmpty() || states.getLast() != state) {
            states.add(state);
        }
    }

    @Test
    @Requirement({"NAA-POLL-2", "NAA-POLL-3"})
    void waitsAndSpinsForResults() {
        HeldRoutine held = new HeldRoutine();
        serve(ServerOptions.builder(), held);
        try (NaaClient client =
                server.client()
                        .functionCode(CUSTOM)
                        .region(RegionSpec.output(server.memory(10, 0)))
                        .open()) {
            client.startRpc();
            poll(client, NaaState.DATA_RECEIVING, new ArrayList<>());
            assertThat(client.spinUntilFinished(Duration.ofMillis(20))).isFalse();
            assertThat(client.awaitCompletions(Duration.ofMillis(20))).isZero();
            held.release();
            assertThat(client.awaitCompletions(Duration.ofSeconds(30))).isPositive();
            assertThat(client.state()).isEqualTo(NaaState.FINISHED);
            client.startRpc();
            assertThat(client.spinUntilFinished(Duration.ofSeconds(30))).isTrue();
        }
    }

    @Test
    @Requirement({"NAA-API-4", "NAA-RPC-2", "NAA-API-3"})
    void runsAnRpcInTheBackground() throws Exception {
        HeldRoutine held = new HeldRoutine();
        serve(ServerOptions.builder(), held);
        try (NaaClient client =
                server.client()
                        .functionCode(CUSTOM)
                        .region(RegionSpec.output(server.memory(10, 0)))
                        .open()) {
            CompletableFuture<RpcResult> future = client.invokeAsync();
            assertThatIllegalStateException()
                    .isThrownBy(client::invoke)
                    .withMessageContaining("in use");
            assertThat(client.state()).isIn(NaaState.DATA_SENDING, NaaState.DATA_RECEIVING);
            held.release();
            assertThat(future.get(30, TimeUnit.SECONDS).isSuccess()).isTrue();
            assertThat(client.invokeAsync().thenApply(_ -> client.invoke()).get().isSuccess())
                    .isTrue();
        }
    }

    @Test
    @Requirement({"NAA-MULTI-7", "NAA-META-6"})
    void servesASingleClientWithoutThreads() throws Exception {
        try (NaaListener listener =
                        NaaListener.bind(
                                serverDevice, 0, ServerOptions.builder().anyDialect().build());
                var arena = java.lang.foreign.Arena.ofShared()) {
            MemorySegment memory = arena.allocate(10);
            CompletableFuture<RpcResult> result =
                    CompletableFuture.supplyAsync(() -> {
                        try (NaaClient client =
                                NaaClient.builder(
                                                serverDevice.address().getHostAddress(),
                                                listener.port())
                                        .device(clientDevice)
                                        .dialect(Dialect.AP1_2023)
                                        .region(RegionSpec.output(memory))
                                        .open()) {
                            client.invoke();
                            return client.invoke();
                        }
                    });
            try (NaaServerContext client = listener.accept(Duration.ofSeconds(30)).orElseThrow()) {
                client.runMrsp();
                int served = 0;
                for (Optional<RpcContext> rpc = client.receive(Duration.ZERO);
                        rpc.isPresent();
                        rpc = client.receive(Duration.ZERO)) {
                    assertThat(client.returnRegion()).hasValue(0);
                    rpc.get().parameter(0).memory().fill((byte) ++served);
                    client.reply(ReturnCode.SUCCESS);
                }
                assertThat(served).isEqualTo(2);
                assertThat(client.state()).isEqualTo(NaaState.FINISHED);
            }
            assertThat(result.get(30, TimeUnit.SECONDS).isSuccess()).isTrue();
            assertThat(memory.get(JAVA_BYTE, 9)).isEqualTo((byte) 2);
            assertThat(listener.contexts()).isEmpty();
        }
    }

    @Test
    @Requirement("NAA-API-6")
    void tellsWhatASessionHolds() {
        serve(ServerOptions.builder());
        RegionSpec in = RegionSpec.input(server.memory(10, 0));
        RegionSpec out = RegionSpec.output(server.memory(20, 0));
        InternalRegion internal = InternalRegion.of(30);
        try (NaaClient client =
                server.client().functionCode(3).region(in).region(out).internal(internal).open()) {
            client.setUserImmediate((byte) 1, (byte) 2, (byte) 3);
            client.invoke();
            assertThat(client.functionCode()).isEqualTo(3);
            assertThat(client.regions()).containsExactly(in, out);
            assertThat(client.internalRegions()).containsExactly(internal);
            assertThat(client.peerRegions()).extracting(PeerRegion::size).containsExactly(10L, 20L);
            assertThat(client.peerRegions())
                    .extracting(PeerRegion::remoteKey)
                    .doesNotHaveDuplicates()
                    .doesNotContain(0);
            assertThat(client.returnRegion()).isEmpty();
            assertThat(client.writesCompleted()).isEqualTo(1);
            assertThat(client.userImmediate()).isEqualTo(0x030201);
            assertThat(client.result()).get().extracting(RpcResult::returnCode).isEqualTo(0);
            assertThat(client.counters())
                    .containsEntry("rpcs", 1L)
                    .containsEntry("bytes.sent", 10L);
            SetupTimes times = client.setupTimes();
            assertThat(times.addressNanos()).isPositive();
            assertThat(times.routeNanos()).isPositive();
            assertThat(times.handshakeNanos()).isPositive();
            assertThat(times.registrationNanos()).isPositive();
            assertThat(times.mrspNanos()).isPositive();
        }
    }

    // ---- return codes ---------------------------------------------------------------------------

    @Test
    @Requirement({"NAA-RET-6", "NAA-RET-10", "NAA-RET-11", "NAA-RET-13"})
    void answersAnUnknownFunctionWithACodeAndStaysUsable() {
        serve(ServerOptions.builder());
        MemorySegment memory = server.memory(10, 0);
        try (NaaClient client =
                server.client().functionCode(77).region(RegionSpec.inputOutput(memory)).open()) {
            for (int i = 0; i < 2; i++) {
                RpcException failure = catchThrowableOfType(RpcException.class, client::invoke);
                assertThat(failure.returnCode()).isEqualTo(ReturnCode.NOT_AVAILABLE);
                assertThat(failure).hasMessageContaining("function 77");
                assertThat(client.state()).isEqualTo(NaaState.FINISHED);
                assertThat(client.result().orElseThrow().returnCode()).isEqualTo(1);
                assertThat(client.result().orElseThrow().totalBytesReceived()).isZero();
            }
        }
        assertThat(memory.mismatch(server.memory(10, 0))).isEqualTo(-1);
    }

    @Test
    @Requirement({"NAA-RET-10", "NAA-RET-13", "NAA-MULTI-5"})
    void answersAFailingRoutineWithACodeAndStaysUsable() {
        List<Routine> failing =
                List.of(
                        _ -> 0x10,
                        _ -> 0x7f,
                        _ -> {
                            throw new RoutineException(0x33, "chosen");
                        },
                        _ -> {
                            throw new java.io.IOException("not chosen");
                        },
                        _ -> {
                            throw new AssertionError("not even an exception");
                        },
                        _ -> 0x80,
                        _ -> -1,
                        rpc -> rpc.parameter(5).flags());
        List<Integer> codes = List.of(0x10, 0x7f, 0x33, 0x10, 0x10, 0x10, 0x10, 0x10);
        int[] next = {0};
        serve(ServerOptions.builder(), rpc -> failing.get(next[0]).run(rpc));
        try (NaaClient client =
                server.client()
                        .functionCode(CUSTOM)
                        .region(RegionSpec.inputOutput(server.memory(10, 0)))
                        .open()) {
            for (; next[0] < failing.size(); next[0]++) {
                assertThat(catchThrowableOfType(RpcException.class, client::invoke).returnCode())
                        .as("routine %d", next[0])
                        .isEqualTo(codes.get(next[0]));
            }
        }
        assertThat(server.awaitEvent("routine failed")).endsWith("chosen");
    }

    @Test
    @Requirement({"NAA-RET-13"})
    void answersARoutineThatTakesTooLongWithACodeAndStaysUsable() {
        CountDownLatch interrupted = new CountDownLatch(1);
        boolean[] quick = {false};
        serve(
                ServerOptions.builder().routineLimit(Duration.ofMillis(50)),
                rpc -> {
                    if (quick[0]) {
                        return ReturnCode.SUCCESS;
                    }
                    try {
                        new CountDownLatch(1).await();
                    } finally {
                        if (rpc.isCancelled()) {
                            interrupted.countDown();
                        }
                    }
                    return ReturnCode.SUCCESS;
                });
        try (NaaClient client =
                server.client()
                        .functionCode(CUSTOM)
                        .region(RegionSpec.input(server.memory(10, 0)))
                        .open()) {
            // On a busy machine the time may be over before a worker is free.
            Eventually.until(() -> {
                assertThat(catchThrowableOfType(RpcException.class, client::invoke).returnCode())
                        .isEqualTo(ReturnCode.TIMEOUT);
                return interrupted.getCount() == 0;
            });
            quick[0] = true;
            assertThat(client.invoke().isSuccess()).isTrue();
        }
    }

    @Test
    @Requirement("NAA-XFER-17")
    void reportsAHostErrorAndRunsNothing() {
        serve(ServerOptions.builder());
        NaaClientBuilder builder =
                server.client().region(RegionSpec.inputOutput(server.memory(10, 0)));
        try (NaaClient client = builder.open()) {
            client.signalHostError();
            assertThat(client.state()).isEqualTo(NaaState.ERROR);
            assertThat(server.awaitEvent("host error")).isNotEmpty();
        }
        assertThat(server.awaitEvent("disconnected")).isNotEmpty();
        assertThat(server.server.counters())
                .containsEntry("errors.host", 1L)
                .containsEntry("rpcs", 0L);
    }
}
