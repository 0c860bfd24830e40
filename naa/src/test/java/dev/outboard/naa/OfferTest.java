package dev.outboard.naa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.contract.roce.RoceLoopback;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.server.NaaServer;
import dev.outboard.naa.server.Routine;
import dev.outboard.naa.server.RoutineSet;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.testkit.Eventually;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A server that offers other routines than before, and its clients.
class OfferTest {
    private static final int CODE = 7;
    private static final int OLD = 0x30;
    private static final int NEW = 0x31;

    private final AtomicInteger unused = new AtomicInteger();
    private final Arena arena = Arena.ofShared();
    private Device ours;
    private Device theirs;

    @BeforeEach
    void open() {
        ours = RoceLoopback.open();
        theirs = RoceLoopback.open();
    }

    @AfterEach
    void close() {
        theirs.close();
        ours.close();
        arena.close();
    }

    private static RoutineSet only(Routine routine) {
        return RoutineSet.of(RoutineSpec.of(CODE, "one", routine));
    }

    private NaaServer serve(RoutineSet routines, ServerOptions.Builder options) {
        return NaaServer.start(ours, 0, routines, options.build());
    }

    private NaaClient client(NaaServer server) {
        return NaaClient.builder(ours.address().getHostAddress(), server.port())
                .device(theirs)
                .functionCode(CODE)
                .region(RegionSpec.inputOutput(arena.allocate(8)))
                .open();
    }

    /// What the client got, error or not.
    private static int codeOf(CompletableFuture<RpcResult> call) {
        try {
            return call.join().returnCode();
        } catch (CompletionException e) {
            assertThat(e.getCause()).isInstanceOf(RpcException.class);
            return ((RpcException) e.getCause()).returnCode();
        }
    }

    @Test
    void callsThatHaveBegunEndWithTheOldRoutineAndTheNextOnesSeeTheNew() {
        HeldRoutine old = new HeldRoutine(_ -> OLD);
        try (NaaServer server = serve(only(old), ServerOptions.builder());
                NaaClient one = client(server);
                NaaClient other = client(server)) {
            CompletableFuture<RpcResult> held = one.invokeAsync();
            old.awaitCall();
            server.offer(only(_ -> NEW), unused::incrementAndGet);

            assertThat(codeOf(other.invokeAsync())).isEqualTo(NEW);
            assertThat(unused).hasValue(0);
            old.release();
            assertThat(codeOf(held)).isEqualTo(OLD);
            Eventually.until(() -> unused.get() == 1);
            assertThat(codeOf(one.invokeAsync())).isEqualTo(NEW);
            assertThat(server.counters()).containsEntry("routine.one.calls", 3L);
            assertThat(server.connections()).hasSize(2);
        }
        assertThat(unused).hasValue(1);
    }

    @Test
    void aCallThatWaitsForAWorkerEndsWithTheOldRoutine() {
        HeldRoutine old = new HeldRoutine(_ -> OLD);
        try (NaaServer server = serve(only(old), ServerOptions.builder().workers(1));
                NaaClient one = client(server);
                NaaClient other = client(server)) {
            CompletableFuture<RpcResult> held = one.invokeAsync();
            old.awaitCall();
            CompletableFuture<RpcResult> waiting = other.invokeAsync();
            Eventually.until(() -> server.counters().get("workers.queued") == 1);
            server.offer(only(_ -> NEW), unused::incrementAndGet);
            old.release();

            assertThat(codeOf(held)).isEqualTo(OLD);
            assertThat(codeOf(waiting)).isEqualTo(OLD);
            Eventually.until(() -> unused.get() == 1);
        }
    }

    /// Calls that are refused, or are withdrawn before they begin, use nothing any more.
    @Test
    void callsThatNeverBeginKeepNothing() {
        HeldRoutine old = new HeldRoutine(_ -> OLD);
        ServerOptions.Builder options =
                ServerOptions.builder()
                        .workers(1)
                        .maxQueuedRpcs(1)
                        .routineLimit(Duration.ofMillis(300));
        try (NaaServer server = serve(only(old), options);
                NaaClient one = client(server);
                NaaClient other = client(server);
                NaaClient third = client(server)) {
            CompletableFuture<RpcResult> held = one.invokeAsync();
            old.awaitCall();
            CompletableFuture<RpcResult> waiting = other.invokeAsync();
            Eventually.until(() -> server.counters().get("workers.queued") == 1);
            CompletableFuture<RpcResult> refused = third.invokeAsync();

            assertThat(codeOf(refused)).isIn(ReturnCode.BUSY, ReturnCode.TIMEOUT);
            assertThat(codeOf(waiting)).isEqualTo(ReturnCode.TIMEOUT);
            assertThat(codeOf(held)).isEqualTo(ReturnCode.TIMEOUT);
            old.release();
            server.offer(only(_ -> NEW), unused::incrementAndGet);
            Eventually.until(() -> unused.get() == 1);
            assertThat(codeOf(third.invokeAsync())).isEqualTo(NEW);
        }
    }

    @Test
    void whatIsNoLongerOfferedIsUnknown() {
        try (NaaServer server = serve(only(_ -> OLD), ServerOptions.builder());
                NaaClient client = client(server)) {
            assertThat(codeOf(client.invokeAsync())).isEqualTo(OLD);
            server.offer(
                    RoutineSet.of(RoutineSpec.of(CODE + 1, "other", _ -> NEW)),
                    unused::incrementAndGet);

            // The client may have its answer before the call has ended on the node.
            Eventually.until(() -> unused.get() == 1);
            assertThat(codeOf(client.invokeAsync())).isEqualTo(ReturnCode.NOT_AVAILABLE);
            assertThat(server.counters())
                    .containsEntry("routine.one.calls", 1L)
                    .containsEntry("routine.other.calls", 0L);
        }
    }

    @Test
    void anOfferThatNoClientCouldCallChangesNothing() {
        try (NaaServer server = serve(only(_ -> OLD), ServerOptions.builder());
                NaaClient client = client(server)) {
            assertThatThrownBy(() ->
                            server.offer(
                                    RoutineSet.of(RoutineSpec.of(200, "far", _ -> NEW)),
                                    unused::incrementAndGet))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("function code 200");

            assertThat(codeOf(client.invokeAsync())).isEqualTo(OLD);
            assertThat(unused).hasValue(0);
        }
    }

    @Test
    void someRoutinesOfASet() {
        RoutineSet all =
                RoutineSet.of(RoutineSpec.of(1, "a", _ -> 0), RoutineSpec.of(2, "b", _ -> 0));

        assertThat(all.only(List.of("b")).routines())
                .extracting(RoutineSpec::name)
                .containsExactly("b");
        assertThatThrownBy(() -> all.only(List.of("c")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("routine 'c'; valid: a, b");
    }
}
