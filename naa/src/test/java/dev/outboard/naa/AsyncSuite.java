package dev.outboard.naa;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.naa.server.ServerUnderTest;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// RPCs of many clients at once, the same over every fabric.
abstract class AsyncSuite extends SessionSuite {
    private static final int MANY = 12;
    private static final String THREAD = "naa-rpcs";

    private final HeldRoutine held = new HeldRoutine(ServerUnderTest::increment);

    /// Serves increment, and as [#CUSTOM] an increment that waits to be released.
    private void serveMany() {
        serve(ServerOptions.builder().maxConnections(2 * MANY).workers(2 * MANY), held);
    }

    private List<NaaClient> open(int count, int function) {
        List<NaaClient> clients = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            clients.add(open(function, server.memory(1000, i)));
        }
        return clients;
    }

    private NaaClient open(int function, MemorySegment memory) {
        return server.client().functionCode(function).region(RegionSpec.inputOutput(memory)).open();
    }

    private static void await(Future<?> future) throws Exception {
        future.get(30, TimeUnit.SECONDS);
    }

    private static Set<Thread> followers() {
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        threads.addAll(Thread.getAllStackTraces().keySet());
        threads.removeIf(thread -> !thread.getName().equals(THREAD));
        return threads;
    }

    @Test
    @Requirement({"NAA-API-4", "NAA-MW-20"})
    void oneThreadFollowsTheRpcsOfManyClients() throws Exception {
        serveMany();
        Set<Thread> others = followers();
        List<NaaClient> clients = open(MANY, CUSTOM);
        Set<Thread> idle = followers();
        idle.removeAll(others);
        assertThat(idle).as("before the first RPC").isEmpty();

        // One thread starts them all and polls nothing.
        List<CompletableFuture<RpcResult>> futures =
                clients.stream().map(NaaClient::invokeAsync).toList();

        assertThat(futures).noneMatch(CompletableFuture::isDone);
        Set<Thread> threads = followers();
        threads.removeAll(others);
        assertThat(threads).as("threads for %d RPCs", MANY).hasSize(1);
        held.release();
        for (int i = 0; i < MANY; i++) {
            await(futures.get(i));
            MemorySegment memory = clients.get(i).regions().getFirst().memory();
            assertThat(memory.mismatch(server.memory(1000, i + 1))).isEqualTo(-1);
        }
        clients.forEach(NaaClient::close);
        Eventually.until(() -> threads.stream().noneMatch(Thread::isAlive));
    }

    @Test
    void whoWaitsGetsHisResultWhileOthersAreUnderWay() throws Exception {
        serveMany();
        List<NaaClient> slow = open(2, CUSTOM);
        List<NaaClient> quick = open(4, ServerUnderTest.INCREMENT);
        List<CompletableFuture<RpcResult>> pending =
                slow.stream().map(NaaClient::invokeAsync).toList();
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<?>> loops = new ArrayList<>();
            for (NaaClient client : quick) {
                loops.add(
                        threads.submit(() -> {
                            for (int i = 0; i < 50; i++) {
                                client.invoke();
                                client.invokeAsync().join();
                            }
                        }));
            }
            for (Future<?> loop : loops) {
                await(loop);
            }
        }
        assertThat(pending).noneMatch(CompletableFuture::isDone);
        for (int i = 0; i < quick.size(); i++) {
            MemorySegment memory = quick.get(i).regions().getFirst().memory();
            assertThat(memory.mismatch(server.memory(1000, i + 100))).isEqualTo(-1);
        }
        held.release();
        for (Future<?> future : pending) {
            await(future);
        }
        slow.forEach(NaaClient::close);
        quick.forEach(NaaClient::close);
    }

    @Test
    void whatDependsOnARpcMayCallAndWait() throws Exception {
        serveMany();
        List<NaaClient> clients = open(2, ServerUnderTest.INCREMENT);
        NaaClient first = clients.get(0);
        NaaClient second = clients.get(1);
        CompletableFuture<Void> chain =
                first.invokeAsync()
                        .thenRun(() -> {
                            second.invoke();
                            second.invokeAsync().join();
                            first.invoke();
                            first.close();
                        });
        await(chain);
        assertThat(first.state()).isEqualTo(NaaState.DISCONNECTED);
        assertThat(second.rpcCount()).isEqualTo(2);
        second.close();
    }

    @Test
    void virtualThreadsWaitWithoutHoldingTheirCarriers() throws Exception {
        serveMany();
        List<NaaClient> clients = open(MANY, CUSTOM);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<RpcResult>> results =
                    clients.stream().map(client -> threads.submit(() -> client.invoke())).toList();
            // With held carriers not all of them could have started.
            Eventually.until(() -> clients.stream().allMatch(client -> client.rpcCount() == 1));
            held.release();
            for (Future<RpcResult> result : results) {
                assertThat(result.get(30, TimeUnit.SECONDS).isSuccess()).isTrue();
            }
        }
        clients.forEach(NaaClient::close);
    }

    @Test
    @Requirement({"NAA-TIME-1", "NAA-TIME-2"})
    void anRpcHasItsOwnLimit() {
        serveMany();
        NaaClient blocking = open(CUSTOM, server.memory(10, 0));
        NaaClient async = open(CUSTOM, server.memory(10, 0));
        NaaTimeoutException failure =
                catchThrowableOfType(
                        NaaTimeoutException.class, () -> blocking.invoke(Duration.ofMillis(20)));
        assertThat(failure).hasMessageContaining("within 20 ms").hasMessageContaining("closed");
        CompletableFuture<RpcResult> future = async.invokeAsync(Duration.ofMillis(30));
        ExecutionException ended =
                catchThrowableOfType(
                        ExecutionException.class, () -> future.get(30, TimeUnit.SECONDS));
        assertThat(ended).hasRootCauseInstanceOf(NaaTimeoutException.class);
        assertThat(ended).hasMessageContaining("within 30 ms");
        assertThatIllegalStateException().isThrownBy(async::invokeAsync);
        held.release();
        blocking.close();
        async.close();
    }

    @Test
    void aDeviceThatIsClosedEndsWhatRunsOnIt() {
        serveMany();
        NaaClient blocking = open(CUSTOM, server.memory(10, 0));
        NaaClient async = open(CUSTOM, server.memory(10, 0));
        try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
            Future<RpcResult> invoked = threads.submit(() -> blocking.invoke());
            Future<RpcResult> future = async.invokeAsync();
            Eventually.until(() -> blocking.rpcCount() == 1);
            held.awaitCall();
            clientDevice.close();
            for (Future<RpcResult> rpc : List.of(invoked, future)) {
                assertThatThrownBy(() -> rpc.get(30, TimeUnit.SECONDS))
                        .isInstanceOf(ExecutionException.class)
                        .hasCauseInstanceOf(NaaException.class)
                        .hasMessageContaining("closed");
            }
        } finally {
            held.release();
        }
        blocking.close();
        async.close();
    }

    @Test
    @Requirement("NAA-RET-11")
    void anErrorCodeFailsTheFutureAndNothingElse() throws Exception {
        serve(ServerOptions.builder(), _ -> 0x42);
        try (NaaClient client = open(CUSTOM, server.memory(10, 0))) {
            for (int i = 0; i < 2; i++) {
                CompletableFuture<RpcResult> future = client.invokeAsync();
                ExecutionException ended =
                        catchThrowableOfType(
                                ExecutionException.class, () -> future.get(30, TimeUnit.SECONDS));
                assertThat(ended.getCause())
                        .isInstanceOfSatisfying(
                                RpcException.class,
                                e -> assertThat(e.returnCode()).isEqualTo(0x42));
            }
        }
    }

    @Test
    @Requirement("NAA-POLL-7")
    void pollingLeavesNothingBehind() throws InterruptedException {
        serveMany();
        try (NaaClient client = open(CUSTOM, server.memory(10, 0))) {
            client.startRpc();
            held.awaitCall();
            Set<Thread> before = Thread.getAllStackTraces().keySet();
            client.pollCompletions();
            client.awaitCompletions(Duration.ofMillis(5));
            assertThat(client.spinUntilFinished(Duration.ofMillis(5))).isFalse();
            assertThat(before).containsAll(Thread.getAllStackTraces().keySet());
            assertThat(Thread.interrupted()).isFalse();
            held.release();
            assertThat(client.spinUntilFinished(Duration.ofSeconds(30))).isTrue();
            client.ping(Duration.ofSeconds(30));
        }
    }

    @Test
    void takesArraysAndBuffersOfAnyKind() {
        serveMany();
        ByteBuffer direct = ByteBuffer.allocateDirect(100).position(10).limit(50);
        List<MemorySegment> memories =
                List.of(
                        MemorySegment.ofArray(new byte[7]),
                        MemorySegment.ofArray(new float[3]),
                        MemorySegment.ofArray(new long[5]),
                        MemorySegment.ofArray(new double[2]).asSlice(3, 9),
                        MemorySegment.ofBuffer(ByteBuffer.allocate(100).position(10).limit(50)),
                        MemorySegment.ofBuffer(FloatBuffer.wrap(new float[4]).position(1)),
                        MemorySegment.ofBuffer(direct));
        try (NaaClient client =
                server.client()
                        .regions(memories.stream().map(RegionSpec::inputOutput).toList())
                        .open()) {
            client.invoke();
            client.invoke();
        }
        assertThat(memories)
                .allSatisfy(memory -> assertThat(memory.toArray(JAVA_BYTE)).containsOnly(2));
        assertThat(direct.get(9)).isZero();
        assertThat(direct.get(10)).isEqualTo((byte) 2);
        assertThat(direct.limit(51).get(50)).isZero();
    }

    @Test
    void arraysAreFilledWhenTheFutureCompletes() throws Exception {
        serveMany();
        byte[] bytes = new byte[100_000];
        try (NaaClient client = open(ServerUnderTest.INCREMENT, MemorySegment.ofArray(bytes))) {
            for (int i = 1; i <= 3; i++) {
                await(client.invokeAsync());
                assertThat(bytes).containsOnly(i);
            }
            Arrays.fill(bytes, (byte) 9);
            client.setBytesToSend(0, 10);
            client.invoke();
            assertThat(MemorySegment.ofArray(bytes).get(JAVA_BYTE, 9)).isEqualTo((byte) 10);
            assertThat(bytes[10]).isEqualTo((byte) 4);
        }
    }
}
