package dev.outboard.node.offload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.afu.CallRegisters;
import dev.outboard.ccip.afu.example.EdgeDetector;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.contract.roce.RoceLoopback;
import dev.outboard.naa.RegionSpec;
import dev.outboard.naa.RpcException;
import dev.outboard.naa.RpcResult;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.client.NaaClientBuilder;
import dev.outboard.naa.server.NaaServer;
import dev.outboard.naa.server.RoutineSet;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.node.routine.EdgeDetection;
import dev.outboard.testkit.Eventually;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Two functions behind ports of their own, in one server, called by clients that do not wait for
/// each other.
class AfuTrafficTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final AfuFunction IN_JAVA =
            AfuFunction.of(EdgeDetector.AFU_ID, EdgeDetector::new);
    private static final int FIRST = 100;
    private static final int SECOND = 101;
    private static final int CLIENTS = 3;

    private Device far;
    private Device near;

    @BeforeEach
    void open() {
        far = RoceLoopback.open();
        near = RoceLoopback.open();
    }

    @AfterEach
    void close() {
        near.close();
        far.close();
    }

    /// Ends its call as soon as one of the other runs, too.
    private record Meeting(UUID id, AtomicInteger arrived) {
        AfuFunction function() {
            return AfuFunction.of(
                    id,
                    () -> {
                        CallRegisters call = new CallRegisters(id);
                        return (rx, tx) -> clock(call, rx, tx);
                    });
        }

        private void clock(CallRegisters call, Rx rx, Tx tx) {
            if (call.clock(rx, tx)) {
                arrived.incrementAndGet();
            }
            if (call.job().running() && arrived.get() == 2) {
                call.job().end(0);
            }
        }
    }

    @Test
    void callsOfTwoPortsRunAtTheSameTime() throws Exception {
        AtomicInteger arrived = new AtomicInteger();
        try (AfuRoutine first = AfuRoutine.of(new Meeting(UUID.randomUUID(), arrived).function());
                AfuRoutine second =
                        AfuRoutine.of(new Meeting(UUID.randomUUID(), arrived).function());
                NaaServer server = serve(first, second);
                ExecutorService clients = Executors.newFixedThreadPool(2)) {
            List<NaaClient> open =
                    List.of(openWithAByte(server, FIRST), openWithAByte(server, SECOND));
            List<Future<RpcResult>> calls = new ArrayList<>();
            open.forEach(client -> calls.add(clients.submit(() -> client.invoke(PATIENCE))));
            for (Future<RpcResult> call : calls) {
                assertThat(call.get().isSuccess()).isTrue();
            }
            open.forEach(NaaClient::close);
        }
    }

    /// Each call gets the edges of its own picture, also while functions in Java and in
    /// SystemVerilog take each other's place behind the first port.
    @Test
    void noCallIsLostWhenAFunctionIsSwapped() throws Exception {
        AfuFunction verilated = Verilated.edgeDetector();
        AtomicBoolean swapped = new AtomicBoolean();
        AtomicInteger firstCalls = new AtomicInteger();
        AtomicInteger secondCalls = new AtomicInteger();
        try (AfuRoutine first = AfuRoutine.of(IN_JAVA);
                AfuRoutine second = AfuRoutine.of(verilated);
                NaaServer server = serve(first, second);
                ExecutorService clients = Executors.newFixedThreadPool(2 * CLIENTS)) {
            List<Caller> callers = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                callers.add(new Caller(server, FIRST, i, firstCalls));
                callers.add(new Caller(server, SECOND, -i, secondCalls));
            }
            List<Future<Integer>> lost = new ArrayList<>();
            callers.forEach(caller -> lost.add(clients.submit(() -> caller.callUntil(swapped))));
            for (int i = 0; i < 10; i++) {
                int firstBefore = firstCalls.get();
                int secondBefore = secondCalls.get();
                first.reconfigure(i % 2 == 0 ? verilated : IN_JAVA, PATIENCE);
                Eventually.until(() ->
                        (firstCalls.get() >= firstBefore + 2 * CLIENTS
                                        && secondCalls.get() > secondBefore)
                                || lost.stream().anyMatch(Future::isDone));
            }
            swapped.set(true);
            for (Future<Integer> client : lost) {
                assertThat(client.get()).as("calls that failed").isZero();
            }
            callers.forEach(caller -> caller.client.close());
        }
    }

    /// One that is not what it should be is put back, and nobody notices.
    @Test
    void theFunctionStaysIfTheOtherIsNoneOfThisKind() throws Exception {
        UUID id = UUID.randomUUID();
        AfuFunction other = AfuFunction.of(UUID.randomUUID(), () -> telling(id, 0x42));
        try (AfuRoutine first = AfuRoutine.of(AfuFunction.of(id, () -> telling(id, 0x41)));
                NaaServer server = serve(first, first);
                NaaClient client = openWithAByte(server, FIRST)) {
            assertThatThrownBy(() -> first.reconfigure(other, PATIENCE))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("the function has AFU_ID %s, not %s".formatted(id, other.id()));
            assertThatThrownBy(() ->
                            first.reconfigure(AfuFunction.of(id, () -> (_, _) -> {}), PATIENCE))
                    .isInstanceOf(RuntimeException.class);
            assertThat(codeOf(client)).isEqualTo(0x41);

            first.reconfigure(AfuFunction.of(id, () -> telling(id, 0x42)), PATIENCE);
            assertThat(codeOf(client)).isEqualTo(0x42);
        }
    }

    private static Afu telling(UUID id, int code) {
        CallRegisters call = new CallRegisters(id);
        return (rx, tx) -> {
            if (call.clock(rx, tx)) {
                call.job().end(code);
            }
        };
    }

    private NaaServer serve(AfuRoutine first, AfuRoutine second) {
        RoutineSet routines =
                RoutineSet.of(
                        RoutineSpec.of(FIRST, "first", first),
                        RoutineSpec.of(SECOND, "second", second));
        return NaaServer.start(
                far, 0, routines, ServerOptions.builder().workers(2 * CLIENTS).build());
    }

    private NaaClientBuilder client(NaaServer server, int code) {
        return NaaClient.builder(far.address().getHostAddress(), server.port())
                .device(near)
                .functionCode(code);
    }

    private NaaClient openWithAByte(NaaServer server, int code) {
        MemorySegment anyByte = Arena.ofAuto().allocate(1, 4096);
        return client(server, code).region(RegionSpec.input(anyByte)).open();
    }

    private static int codeOf(NaaClient client) {
        try {
            return client.invoke(PATIENCE).returnCode();
        } catch (RpcException e) {
            return e.returnCode();
        }
    }

    /// A client with a picture of its own.
    private final class Caller {
        private final AtomicInteger calls;
        private final MemorySegment edges;
        private final MemorySegment expected;
        private final NaaClient client;

        Caller(NaaServer server, int code, int seed, AtomicInteger calls) {
            this.calls = calls;
            int width = 100 + seed;
            int height = 30;
            Arena arena = Arena.ofAuto();
            MemorySegment header = arena.allocate(EdgeDetection.HEADER_BYTES, 4096);
            EdgeDetection.writeHeader(header, width, height, 3);
            MemorySegment pixels = arena.allocate(3L * width * height, 4096);
            byte[] content = new byte[3 * width * height];
            new SplittableRandom(seed).nextBytes(content);
            pixels.copyFrom(MemorySegment.ofArray(content));
            expected = arena.allocate((long) width * height);
            EdgeDetection.detect(width, height, 3, pixels, expected);
            edges = arena.allocate((long) width * height, 4096);
            client =
                    client(server, code)
                            .region(RegionSpec.input(header))
                            .region(RegionSpec.input(pixels))
                            .region(RegionSpec.output(edges))
                            .open();
        }

        /// @return how many calls failed or gave other edges
        int callUntil(AtomicBoolean enough) {
            int failed = 0;
            while (!enough.get()) {
                edges.fill((byte) 0x55);
                failed += codeOf(client) == 0 && edges.mismatch(expected) < 0 ? 0 : 1;
                calls.incrementAndGet();
            }
            return failed;
        }
    }
}
