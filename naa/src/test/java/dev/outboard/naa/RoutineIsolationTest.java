package dev.outboard.naa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.outboard.fabric.Device;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.server.Routine;
import dev.outboard.naa.server.RoutineArgument;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.naa.server.RpcContext;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.naa.server.ServerUnderTest;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Routines that misbehave, next to a client that calls one that does not.
class RoutineIsolationTest extends SessionSuite {
    private static final Duration SHORT_TIME = Duration.ofMillis(50);

    @RegisterExtension private final SimulatedFabric fabric = new SimulatedFabric();
    private final CountDownLatch release = new CountDownLatch(1);

    @Override
    Device open() {
        return fabric.device();
    }

    @AfterEach
    void releaseRoutines() {
        release.countDown();
    }

    private RpcException failure(NaaClient client) {
        return catchThrowableOfType(RpcException.class, client::invoke);
    }

    private NaaClient custom() {
        return client(10).functionCode(CUSTOM).open();
    }

    private static RoutineSpec spec(Routine routine) {
        return RoutineSpec.of(CUSTOM, "custom", routine);
    }

    /// On a busy machine the time of a call may be over before a worker has begun with it: such a
    /// call hangs nowhere, so another is made.
    private void callUntilItHangs(NaaClient caller, long hung) {
        Eventually.until(() -> {
            assertThat(failure(caller).returnCode()).isEqualTo(ReturnCode.TIMEOUT);
            return server.server.counters().get("routines.hung") == hung;
        });
    }

    /// A call that may be too late on a busy machine.
    private static boolean succeeds(NaaClient caller) {
        try {
            return caller.invoke().isSuccess();
        } catch (RpcException e) {
            assertThat(e.returnCode()).isEqualTo(ReturnCode.TIMEOUT);
            return false;
        }
    }

    /// Ignores interrupts until the test is over.
    private int hang(RpcContext rpc) {
        boolean released = false;
        while (!released) {
            try {
                release.await();
                released = true;
            } catch (InterruptedException _) {
                // A routine that hangs does not care.
            }
        }
        return ReturnCode.SUCCESS;
    }

    // ---- arguments ------------------------------------------------------------------------------

    @Test
    @Requirement("NAA-KERN-2")
    void aCallWithOtherRegionsThanDeclaredIsRefusedBeforeTheRoutineRuns() {
        List<Integer> ran = new ArrayList<>();
        serve(
                ServerOptions.builder().maxConnections(10),
                spec(
                                rpc -> {
                                    ran.add(rpc.parameters().size());
                                    return ReturnCode.SUCCESS;
                                })
                        .taking(
                                RoutineArgument.input("factor", "float32").ofBytes(4),
                                RoutineArgument.output("values", "float32[n]")));
        MemorySegment four = server.memory(4, 0);
        MemorySegment five = server.memory(5, 0);
        refused("custom: takes 2 regions, not 1", RegionSpec.input(four));
        refused(
                "custom: region 0, 'factor', has 4 bytes, not 5",
                RegionSpec.input(five),
                RegionSpec.output(four));
        refused(
                "custom: region 0, 'factor', must be marked as input",
                RegionSpec.output(four),
                RegionSpec.output(five));
        refused(
                "custom: region 1, 'values', must be marked as output",
                RegionSpec.input(four),
                RegionSpec.input(five));
        assertThat(ran).isEmpty();

        try (NaaClient right = open(RegionSpec.input(four), RegionSpec.output(five))) {
            assertThat(right.invoke().isSuccess()).isTrue();
        }
        assertThat(ran).containsExactly(2);
        assertThat(server.server.counters())
                .containsEntry("routines.wrong-arguments", 4L)
                .containsEntry("routine.custom.calls", 1L);
    }

    private void refused(String why, RegionSpec... regions) {
        try (NaaClient client = open(regions)) {
            assertThat(failure(client).returnCode()).isEqualTo(ReturnCode.WRONG_ARGUMENTS);
            assertThat(server.awaitEvent("routine failed")).isEqualTo("routine failed: " + why);
        }
    }

    private NaaClient open(RegionSpec... regions) {
        return server.client().functionCode(CUSTOM).regions(List.of(regions)).open();
    }

    // ---- failures -------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource
    @Requirement({"NAA-MULTI-5", "NAA-RET-13", "NAA-MULTI-6"})
    void aRoutineThatThrowsOrWritesOutOfBoundsCostsItsCallerAnErrorCodeOnly(RoutineSpec.Kind kind)
            throws Exception {
        List<Routine> bad =
                List.of(
                        _ -> {
                            throw new IllegalStateException("broken");
                        },
                        _ -> {
                            throw new StackOverflowError();
                        },
                        rpc -> {
                            rpc.parameter(0).memory().set(ValueLayout.JAVA_BYTE, 10, (byte) 1);
                            return ReturnCode.SUCCESS;
                        },
                        rpc -> {
                            rpc.parameter(0).memory().set(ValueLayout.JAVA_BYTE, -1, (byte) 1);
                            return ReturnCode.SUCCESS;
                        },
                        rpc -> rpc.parameter(1).index());
        RoutineSpec routine = spec(rpc -> bad.get(rpc.userByte(0)).run(rpc));
        serve(
                ServerOptions.builder().maxConnections(2),
                switch (kind) {
                    case SHORT -> routine.asShort();
                    case COMPUTING -> routine;
                    case WAITING -> routine.asWaiting();
                });
        try (NaaClient good = client(100).functionCode(ServerUnderTest.INCREMENT).open();
                NaaClient caller = custom()) {
            CompletableFuture<RpcResult> before = good.invokeAsync();
            for (int i = 0; i < bad.size(); i++) {
                caller.setUserImmediate((byte) i, (byte) 0, (byte) 0);
                assertThat(failure(caller).returnCode()).isEqualTo(ReturnCode.FIRST_APPLICATION);
                assertThat(before.get(30, TimeUnit.SECONDS).isSuccess()).isTrue();
                before = good.invokeAsync();
            }
            assertThat(before.get(30, TimeUnit.SECONDS).isSuccess()).isTrue();
            assertThat(server.server.counters()).containsEntry("routines.failed", 5L);
        }
    }

    /// All of them run at the same time, though there is one worker, which computes meanwhile.
    @Test
    void routinesThatWaitHoldNoWorker() throws Exception {
        int clients = 4;
        CountDownLatch all = new CountDownLatch(clients);
        CountDownLatch end = new CountDownLatch(1);
        serve(
                ServerOptions.builder().maxConnections(clients + 1).workers(1).maxQueuedRpcs(0),
                spec(
                                rpc -> {
                                    all.countDown();
                                    return end.await(30, TimeUnit.SECONDS)
                                            ? ReturnCode.SUCCESS
                                            : 99;
                                })
                        .asWaiting());
        List<NaaClient> waiting = new ArrayList<>();
        try (NaaClient good = client(100).functionCode(ServerUnderTest.INCREMENT).open()) {
            List<CompletableFuture<RpcResult>> results = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                NaaClient client = custom();
                waiting.add(client);
                results.add(client.invokeAsync());
            }
            assertThat(all.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(good.invoke().isSuccess()).isTrue();
            end.countDown();
            for (CompletableFuture<RpcResult> result : results) {
                assertThat(result.get(30, TimeUnit.SECONDS).isSuccess()).isTrue();
            }
        } finally {
            end.countDown();
            waiting.forEach(NaaClient::close);
        }
    }

    @Test
    void aRoutineThatWaitsTooLongEndsWithItsTime() {
        serve(
                ServerOptions.builder().maxConnections(2),
                spec(
                                rpc -> {
                                    new CountDownLatch(1).await();
                                    return ReturnCode.SUCCESS;
                                })
                        .asWaiting()
                        .within(Duration.ofMillis(100)));
        try (NaaClient caller = custom()) {
            assertThat(failure(caller).returnCode()).isEqualTo(ReturnCode.TIMEOUT);
            assertThat(failure(caller).returnCode()).isEqualTo(ReturnCode.TIMEOUT);
        }
    }

    @Test
    @Requirement({"NAA-RET-13", "NAA-MULTI-5"})
    void aRoutineHasADeadlineOfItsOwn() {
        serve(
                ServerOptions.builder().maxConnections(2),
                spec(
                                rpc -> {
                                    new CountDownLatch(1).await();
                                    return ReturnCode.SUCCESS;
                                })
                        .within(SHORT_TIME));
        try (NaaClient good = client(10).open();
                NaaClient caller = custom()) {
            assertThat(failure(caller).returnCode()).isEqualTo(ReturnCode.TIMEOUT);
            // How far the call got is a matter of the machine's speed.
            assertThat(server.awaitEvent("routine failed"))
                    .startsWith("routine failed: custom: its time was over");
            assertThat(good.invoke().isSuccess()).isTrue();
            Eventually.until(() -> server.server.counters().get("workers.stuck") == 0);
            assertThat(server.server.counters())
                    .containsEntry("routines.timeout", 1L)
                    .containsEntry("routine.custom.errors", 1L);
        }
    }

    @Test
    @Requirement({"NAA-RET-13", "NAA-MULTI-5"})
    void aRoutineThatIgnoresTheInterruptCostsNoWorker() {
        serve(
                ServerOptions.builder().maxConnections(3).workers(1),
                spec(this::hang).within(SHORT_TIME));
        try (NaaClient good = client(10).functionCode(ServerUnderTest.NOTHING).open();
                NaaClient caller = custom()) {
            callUntilItHangs(caller, 1);
            assertThat(server.awaitEvent("routine failed: custom: its time was over and"))
                    .endsWith("and it goes on though it was interrupted");
            assertThat(good.invoke().isSuccess()).isTrue();
            assertThat(server.server.counters())
                    .containsEntry("routines.hung", 1L)
                    .containsEntry("workers.stuck", 1L);

            // Its connection waits for it: two routines must not share the memory.
            assertThat(failure(caller).returnCode()).isEqualTo(ReturnCode.TIMEOUT);
            release.countDown();
            Eventually.until(() -> server.server.counters().get("workers.stuck") == 0);
            Eventually.until(() -> succeeds(caller));
            assertThat(good.invoke().isSuccess()).isTrue();
        }
    }

    @Test
    @Requirement("NAA-MULTI-5")
    void routinesThatHangForGoodNeverGetMoreThanTwiceTheWorkers() {
        serve(
                ServerOptions.builder().maxConnections(4).workers(1).setupLimit(Duration.ZERO),
                spec(this::hang).within(SHORT_TIME));
        try (NaaClient first = custom();
                NaaClient second = custom();
                NaaClient third = client(10).functionCode(ServerUnderTest.NOTHING).open();
                NaaClient fourth = client(10).open()) {
            callUntilItHangs(first, 1);
            callUntilItHangs(second, 2);
            assertThat(server.server.counters()).containsEntry("workers.stuck", 2L);
            CompletableFuture<RpcResult> waiting = third.invokeAsync();
            Eventually.until(() -> server.server.counters().get("workers.queued") == 1);
            assertThat(fourth.invoke().isSuccess()).isTrue();
            assertThat(waiting).isNotDone();
            release.countDown();
            assertThat(waiting.join().isSuccess()).isTrue();
        }
    }

    @Test
    @Requirement({"NAA-RET-13", "NAA-MULTI-5"})
    void aShortRoutineThatHangsIsAnsweredForAndMovedToTheWorkers() {
        serve(
                ServerOptions.builder().maxConnections(2),
                spec(rpc -> rpc.userByte(0) == 0 ? hang(rpc) : ReturnCode.SUCCESS)
                        .within(SHORT_TIME)
                        .asShort());
        try (NaaClient good = client(10).open();
                NaaClient caller = custom()) {
            assertThat(failure(caller).returnCode()).isEqualTo(ReturnCode.TIMEOUT);
            assertThat(good.invoke().isSuccess()).isTrue();
            assertThat(server.server.counters())
                    .containsEntry("routines.hung", 1L)
                    .containsEntry("routines.moved", 1L)
                    .containsEntry("routine.custom.moved", 1L);
            release.countDown();
            caller.setUserImmediate((byte) 1, (byte) 0, (byte) 0);
            Eventually.until(() -> succeeds(caller));
        }
        awaitNoConnections();
    }

    /// Before or after another thread has taken over from the one that the routine keeps.
    @ParameterizedTest
    @ValueSource(longs = {0, 200})
    void theServerClosesThoughAShortRoutineHangs(long shutdownMillis) {
        serve(
                ServerOptions.builder().shutdownLimit(Duration.ofMillis(shutdownMillis)),
                spec(this::hang).asShort());
        try (NaaClient caller = custom()) {
            CompletableFuture<RpcResult> call = caller.invokeAsync();
            Eventually.until(server::calculating);
            server.server.close();
            assertThat(server.server.counters()).containsEntry("connections.open", 0L);
            assertThat(call).failsWithin(Duration.ofSeconds(30));
        }
    }

    // ---- the guard of short routines ------------------------------------------------------------

    @Test
    void aRoutineThatIsNotShortAgainAndAgainIsNamedAndMovedToTheWorkers() {
        List<String> threads = new ArrayList<>();
        serve(
                ServerOptions.builder().shortLimit(Duration.ofNanos(1)),
                spec(
                                _ -> {
                                    threads.add(Thread.currentThread().getName());
                                    return ReturnCode.SUCCESS;
                                })
                        .asShort());
        try (NaaClient client = custom()) {
            for (int i = 0; i < 7; i++) {
                client.invoke();
                assertThat(server.awaitEvent("overran")).isEqualTo("overran custom");
            }
            client.invoke();
            assertThat(server.awaitEvent("moved")).isEqualTo("moved custom");
            client.invoke();
        }
        assertThat(threads).hasSize(9);
        assertThat(threads.subList(0, 8)).allMatch(name -> name.startsWith("naa-serve-"));
        assertThat(threads.getLast()).startsWith("naa-routine-");
        assertThat(server.server.counters())
                .containsEntry("routines.overrun", 8L)
                .containsEntry("routine.custom.overruns", 8L)
                .containsEntry("routines.moved", 1L);
    }

    // ---- queue ----------------------------------------------------------------------------------

    @Test
    @Requirement("NAA-MULTI-5")
    void callsBeyondTheQueueAreRefusedAtOnce() throws Exception {
        serve(
                ServerOptions.builder().maxConnections(3).workers(1).maxQueuedRpcs(1),
                spec(this::hang));
        try (NaaClient running = custom();
                NaaClient queued = custom();
                NaaClient refused = custom()) {
            CompletableFuture<RpcResult> first = running.invokeAsync();
            Eventually.until(server::calculating);
            CompletableFuture<RpcResult> second = queued.invokeAsync();
            Eventually.until(() -> server.server.counters().get("workers.queued") == 1);
            assertThat(failure(refused).returnCode()).isEqualTo(ReturnCode.BUSY);
            assertThat(server.awaitEvent("routine failed"))
                    .isEqualTo(
                            "routine failed: custom: all workers are busy and 1 calls wait"
                                    + " already");
            assertThat(server.server.counters()).containsEntry("routines.busy", 1L);
            release.countDown();
            assertThat(first.get(30, TimeUnit.SECONDS).isSuccess()).isTrue();
            assertThat(second.get(30, TimeUnit.SECONDS).isSuccess()).isTrue();
            assertThat(refused.invoke().isSuccess()).isTrue();
        }
    }

    @Test
    void aCallWhoseTimeIsOverBeforeAWorkerIsFreeLeavesTheQueue() {
        serve(
                ServerOptions.builder().maxConnections(2).workers(1),
                RoutineSpec.of(CUSTOM, "custom", this::hang),
                RoutineSpec.of(CUSTOM + 1, "hasty", _ -> ReturnCode.SUCCESS).within(SHORT_TIME));
        try (NaaClient running = custom();
                NaaClient hasty = client(10).functionCode(CUSTOM + 1).open()) {
            CompletableFuture<RpcResult> first = running.invokeAsync();
            Eventually.until(server::calculating);
            assertThat(failure(hasty).returnCode()).isEqualTo(ReturnCode.TIMEOUT);
            assertThat(server.server.counters()).containsEntry("workers.queued", 0L);
            release.countDown();
            assertThat(first.join().isSuccess()).isTrue();
            Eventually.until(() -> succeeds(hasty));
        }
    }
}
