package dev.outboard.naa;

import static java.lang.foreign.MemorySegment.ofArray;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.outboard.fabric.Device;
import dev.outboard.naa.client.NaaPool;
import dev.outboard.naa.client.NaaPoolBuilder;
import dev.outboard.naa.client.NaaSpec;
import dev.outboard.naa.server.NaaServer;
import dev.outboard.naa.server.Routine;
import dev.outboard.naa.server.RoutineRegion;
import dev.outboard.naa.server.RoutineSet;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.naa.server.ServerObserver;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.naa.server.ServerUnderTest;
import dev.outboard.testkit.Eventually;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Pools of sessions, the same over every fabric.
abstract class PoolSuite {
    private static final int FUNCTION = 7;
    static final int BYTES = 1000;

    /// A software NAA that can be killed and come back at the same address.
    private final class Naa {
        final Device device = open();
        final CountDownLatch release = new CountDownLatch(1);
        NaaServer server;
        int port;
        volatile boolean blocks;
        volatile int returnCode;

        Naa() {
            start();
        }

        void start() {
            Routine routine =
                    rpc -> {
                        began.add(this);
                        if (blocks) {
                            release.await();
                        }
                        return returnCode + ServerUnderTest.increment(rpc);
                    };
            ServerOptions options =
                    ServerOptions.builder()
                            .maxConnections(8)
                            .workers(8)
                            .shutdownLimit(Duration.ofMillis(1))
                            .observer(new ServerObserver() {})
                            .build();
            RoutineSet routines = RoutineSet.of(RoutineSpec.of(FUNCTION, "increment", routine));
            server = NaaServer.start(device, port, routines, options);
            port = server.port();
        }

        void kill() {
            server.close();
        }

        String address() {
            return device.address().getHostAddress() + ":" + port;
        }
    }

    /// The NAAs whose routine began to run, in order.
    private final BlockingQueue<Naa> began = new LinkedBlockingQueue<>();

    private final List<Naa> naas = new ArrayList<>();
    Device clientDevice;

    /// Opens a device that reaches the others of this suite.
    abstract Device open();

    @BeforeEach
    void openDevices() {
        clientDevice = open();
    }

    @AfterEach
    void closeDevices() {
        for (Naa naa : naas) {
            naa.release.countDown();
            naa.kill();
            naa.device.close();
        }
        clientDevice.close();
    }

    private Naa start() {
        Naa naa = new Naa();
        naas.add(naa);
        return naa;
    }

    private NaaPoolBuilder pool() {
        NaaPoolBuilder builder =
                NaaPool.builder(FUNCTION)
                        .inputOutput(BYTES)
                        .sessionsPerNaa(1)
                        .checkInterval(Duration.ofMillis(20))
                        .client(b -> b.device(clientDevice).connectLimit(Duration.ofMillis(500)));
        naas.forEach(naa -> builder.naa(naa.device.address().getHostAddress(), naa.port));
        return builder;
    }

    /// A pool of one session with one NAA.
    NaaPool openPool() {
        start();
        return pool().open();
    }

    private Naa awaitCall() throws InterruptedException {
        Naa naa = began.poll(30, TimeUnit.SECONDS);
        assertThat(naa).as("a call").isNotNull();
        return naa;
    }

    private static Throwable failureOf(CompletableFuture<RpcResult> future) {
        ExecutionException failure =
                catchThrowableOfType(
                        ExecutionException.class, () -> future.get(30, TimeUnit.SECONDS));
        return failure.getCause();
    }

    @Test
    void copiesArgumentsInAndResultsBack() {
        start();
        try (NaaPool pool = pool().open()) {
            byte[] bytes = new byte[BYTES];
            for (int i = 1; i <= 5; i++) {
                pool.invoke(ofArray(bytes));
                assertThat(bytes).containsOnly(i);
            }
            assertThat(pool.status())
                    .singleElement()
                    .satisfies(naa -> assertThat(naa.calls()).isEqualTo(5));
        }
    }

    @Test
    void distributesCallsOverAllSessionsOfAllNaas() throws Exception {
        Naa first = start();
        Naa second = start();
        naas.forEach(naa -> naa.blocks = true);
        try (NaaPool pool = pool().sessionsPerNaa(2).open()) {
            Eventually.until(() -> pool.status().stream().allMatch(naa -> naa.idle() == 2));
            List<CompletableFuture<RpcResult>> calls = new ArrayList<>();
            List<byte[]> arrays = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                arrays.add(new byte[BYTES]);
                calls.add(pool.invokeAsync(ofArray(arrays.getLast())));
            }
            List<Naa> called = List.of(awaitCall(), awaitCall(), awaitCall(), awaitCall());
            assertThat(called).containsExactlyInAnyOrder(first, first, second, second);
            assertThat(pool.status()).allMatch(naa -> naa.busy() == 2 && naa.isUp());
            assertThat(began).as("two wait").isEmpty();
            naas.forEach(naa -> naa.release.countDown());
            for (CompletableFuture<RpcResult> call : calls) {
                assertThat(call.get(30, TimeUnit.SECONDS).isSuccess()).isTrue();
            }
            assertThat(arrays).allSatisfy(array -> assertThat(array).containsOnly(1));
        }
    }

    @Test
    void repeatsAnIdempotentCallOnAnotherNaa() throws Exception {
        start();
        start();
        naas.forEach(naa -> naa.blocks = true);
        try (NaaPool pool = pool().idempotent().open()) {
            byte[] bytes = new byte[BYTES];
            CompletableFuture<RpcResult> call = pool.invokeAsync(ofArray(bytes));
            Naa killed = awaitCall();
            killed.kill();
            Naa other = awaitCall();
            assertThat(other).isNotSameAs(killed);
            other.release.countDown();
            assertThat(call.get(30, TimeUnit.SECONDS).isSuccess()).isTrue();
            assertThat(bytes).containsOnly(1);
        }
    }

    @Test
    void doesNotRepeatAnyOtherCall() throws Exception {
        start();
        start();
        naas.forEach(naa -> naa.blocks = true);
        try (NaaPool pool = pool().open()) {
            byte[] bytes = new byte[BYTES];
            CompletableFuture<RpcResult> call = pool.invokeAsync(ofArray(bytes));
            Naa killed = awaitCall();
            killed.kill();
            assertThat(failureOf(call))
                    .isInstanceOf(NaaException.class)
                    .hasMessageContaining(killed.address());
            assertThat(began).isEmpty();
            assertThat(bytes).containsOnly(0);
            // The next call avoids the dead one.
            naas.forEach(naa -> naa.blocks = false);
            assertThat(pool.invoke(ofArray(bytes)).isSuccess()).isTrue();
        }
    }

    @Test
    void failsAnIdempotentCallWhenEveryNaaFails() throws Exception {
        start();
        start();
        naas.forEach(naa -> naa.blocks = true);
        try (NaaPool pool = pool().idempotent().open()) {
            CompletableFuture<RpcResult> call = pool.invokeAsync(ofArray(new byte[BYTES]));
            awaitCall().kill();
            awaitCall().kill();
            Throwable failure = failureOf(call);
            assertThat(failure).isInstanceOf(NaaException.class);
            assertThat(failure.getSuppressed()).hasSize(1);
        }
    }

    @Test
    void saysWhichNaasAreGoneAndUsesThemWhenTheyAreBack() {
        start();
        start();
        try (NaaPool pool = pool().callLimit(Duration.ofMillis(300)).open()) {
            naas.forEach(Naa::kill);
            Eventually.until(() -> pool.status().stream().noneMatch(NaaPool.Naa::isUp));
            assertThatExceptionOfType(NaaUnavailableException.class)
                    .isThrownBy(() -> pool.invoke(ofArray(new byte[BYTES])))
                    .withMessageContaining("function 7")
                    .withMessageContaining("within 300 ms")
                    .withMessageContaining(naas.get(0).address() + ": down (")
                    .withMessageContaining(naas.get(1).address() + ": down (")
                    .satisfies(e -> assertThat(e.phase()).isEqualTo(NaaException.Phase.POOL));
            Naa back = naas.getLast();
            back.start();
            Eventually.until(() -> pool.status().getLast().isUp());
            assertThat(pool.status().getFirst().isUp()).isFalse();
            pool.invoke(ofArray(new byte[BYTES]));
            assertThat(began).containsExactly(back);
        }
    }

    @Test
    void doesNotOpenWithoutAnyNaa() {
        start().kill();
        assertThatExceptionOfType(NaaUnavailableException.class)
                .isThrownBy(() -> pool().open())
                .withMessageContaining("no NAA can be reached")
                .withMessageContaining(naas.getFirst().address() + ": down (connecting");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pool().client(b -> b.device(clientDevice).maxRegions(0)).open())
                .withMessageContaining("cap of regions");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pool().sessionsPerNaa(0).open())
                .withMessageContaining("number of sessions per NAA is 0");
    }

    @Test
    void callsWaitForASessionWithinBounds() throws Exception {
        Naa naa = start();
        naa.blocks = true;
        try (NaaPool pool = pool().maxWaiting(1).callLimit(Duration.ofSeconds(20)).open();
                NaaPool hurried = pool().callLimit(Duration.ofMillis(100)).open()) {
            CompletableFuture<RpcResult> running = pool.invokeAsync(ofArray(new byte[BYTES]));
            awaitCall();
            // One of these waits, the other is one too many.
            List<CompletableFuture<RpcResult>> more =
                    List.of(
                            pool.invokeAsync(ofArray(new byte[BYTES])),
                            pool.invokeAsync(ofArray(new byte[BYTES])));
            Eventually.until(() -> more.stream().anyMatch(CompletableFuture::isDone));
            CompletableFuture<RpcResult> refused =
                    more.stream().filter(CompletableFuture::isDone).findFirst().orElseThrow();
            assertThat(failureOf(refused))
                    .isInstanceOf(NaaUnavailableException.class)
                    .hasMessageContaining("1 calls wait already")
                    .hasMessageContaining(naa.address() + ": 1 of 1 sessions in use");
            CompletableFuture<RpcResult> slow = hurried.invokeAsync(ofArray(new byte[BYTES]));
            assertThat(failureOf(slow)).isInstanceOf(NaaTimeoutException.class);
            naa.release.countDown();
            assertThat(running.get(30, TimeUnit.SECONDS).isSuccess()).isTrue();
            Eventually.until(() -> more.stream().allMatch(CompletableFuture::isDone));
            assertThat(more.stream().filter(call -> !call.isCompletedExceptionally())).hasSize(1);
        }
    }

    @Test
    void anErrorCodeIsTheCallersAndTheSessionStays() {
        start();
        try (NaaPool pool =
                NaaPool.builder(FUNCTION + 1)
                        .naa(
                                naas.getFirst().device.address().getHostAddress(),
                                naas.getFirst().port)
                        .input(1)
                        .idempotent()
                        .client(b -> b.device(clientDevice))
                        .open()) {
            for (int i = 0; i < 3; i++) {
                RpcException failure =
                        catchThrowableOfType(
                                RpcException.class, () -> pool.invoke(ofArray(new byte[1])));
                assertThat(failure.returnCode()).isEqualTo(ReturnCode.NOT_AVAILABLE);
            }
            assertThat(pool.status().getFirst().failures()).isZero();
        }
    }

    @Test
    void asksAnotherNaaIfOneIsBusyOrShutsDown() {
        Naa busy = start();
        Naa free = start();
        try (NaaPool pool = pool().idempotent().open();
                NaaPool once = pool().open()) {
            Eventually.until(() -> pool.status().stream().allMatch(NaaPool.Naa::isUp));
            Eventually.until(() -> once.status().stream().allMatch(NaaPool.Naa::isUp));
            for (int code : new int[] {ReturnCode.BUSY, ReturnCode.SHUTTING_DOWN}) {
                busy.returnCode = code;
                began.clear();
                Eventually.until(() -> {
                    assertThat(pool.invoke(ofArray(new byte[BYTES])).isSuccess()).isTrue();
                    return began.contains(busy);
                });
                assertThat(began).contains(free);
            }
            assertThat(pool.status()).allMatch(naa -> naa.failures() == 0);
            assertThat(awaitCode(once)).isEqualTo(ReturnCode.SHUTTING_DOWN);
            busy.returnCode = 0x42;
            assertThat(awaitCode(pool)).isEqualTo(0x42);
        }
    }

    /// Calls until an NAA answers with an error code.
    private static int awaitCode(NaaPool pool) {
        AtomicInteger code = new AtomicInteger();
        Eventually.until(() -> {
            try {
                pool.invoke(ofArray(new byte[BYTES]));
            } catch (RpcException e) {
                code.set(e.returnCode());
            }
            return code.get() != 0;
        });
        return code.get();
    }

    @Test
    void refusesArgumentsThatDoNotFit() {
        start();
        try (NaaPool pool = pool().open()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(pool::invoke)
                    .withMessageContaining("0 arguments; function 7 takes 1");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> pool.invoke(ofArray(new byte[BYTES + 1])))
                    .withMessageContaining("argument 0 has 1001 bytes instead of 1000");
        }
    }

    @Test
    void sendsConstantsOncePerSession() {
        Naa naa = start();
        MemorySegment constant = Arena.ofAuto().allocate(10).fill((byte) 5);
        try (NaaPool pool = pool().constant(constant).output(20).open()) {
            for (int i = 0; i < 3; i++) {
                byte[] out = new byte[20];
                pool.invoke(ofArray(new byte[BYTES]), ofArray(out));
                assertThat(out).containsOnly(i + 1);
            }
            RoutineRegion atServer = naa.server.connections().getFirst().parameters().get(1);
            // Written once, then incremented by three calls.
            assertThat(atServer.memory().get(JAVA_BYTE, 0)).isEqualTo((byte) 8);
        }
    }

    @Test
    void closingEndsTheCallsUnderWay() throws Exception {
        Naa naa = start();
        naa.blocks = true;
        NaaPool pool = pool().open();
        CompletableFuture<RpcResult> call = pool.invokeAsync(ofArray(new byte[BYTES]));
        awaitCall();
        pool.close();
        assertThat(failureOf(call)).isInstanceOf(NaaException.class);
        assertThatIllegalStateException()
                .isThrownBy(() -> pool.invoke(ofArray(new byte[BYTES])))
                .withMessageContaining("closed");
        pool.close();
    }

    @Test
    void takesItsNaasFromTheSpecOfAJob() {
        Naa naa = start();
        NaaSpec spec =
                NaaSpec.parse(
                        "203.0.113.1:1:%d:1,%s:%d:1"
                                .formatted(FUNCTION + 1, naa.address(), FUNCTION));
        try (NaaPool pool =
                NaaPool.builder(FUNCTION)
                        .naas(spec)
                        .inputOutput(BYTES)
                        .client(b -> b.device(clientDevice))
                        .open()) {
            assertThat(pool.invoke(ofArray(new byte[BYTES])).isSuccess()).isTrue();
            assertThat(pool.status())
                    .singleElement()
                    .extracting(NaaPool.Naa::address)
                    .hasToString(naa.address());
        }
    }
}
