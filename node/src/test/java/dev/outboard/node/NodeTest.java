package dev.outboard.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.contract.roce.RoceLoopback;
import dev.outboard.naa.RegionSpec;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.server.ServerLog;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.node.offload.Placement;
import dev.outboard.node.offload.RoutinePlan;
import dev.outboard.node.offload.Target;
import dev.outboard.node.offload.TargetLimit;
import dev.outboard.node.routine.EdgeDetection;
import dev.outboard.node.routine.RoutineCatalog;
import dev.outboard.testkit.Eventually;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class NodeTest {
    private static final int SIDE = 32;

    private volatile boolean enough;
    private final AtomicInteger calls = new AtomicInteger();

    private static RoutinePlan edgesOn(Placement place) {
        return new RoutinePlan(
                RoutineCatalog.ROUTINES,
                Map.of("edges", place),
                Map.of(Target.AFU, new TargetLimit(1, 4)));
    }

    /// Calls until it is enough; every call has the right edges.
    private void callAllTheTime(Device device, Node node, String host) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment header = arena.allocate(EdgeDetection.HEADER_BYTES);
            EdgeDetection.writeHeader(header, SIDE, SIDE, 1);
            MemorySegment pixels = arena.allocate(SIDE * SIDE);
            pixels.asSlice(0, SIDE * SIDE / 2).fill((byte) 90);
            MemorySegment expected = arena.allocate(SIDE * SIDE);
            EdgeDetection.detect(SIDE, SIDE, 1, pixels, expected);
            MemorySegment edges = arena.allocate(SIDE * SIDE);
            try (NaaClient client =
                    NaaClient.builder(host, node.port())
                            .device(device)
                            .functionCode(RoutineCatalog.EDGE_DETECTION)
                            .region(RegionSpec.input(header))
                            .region(RegionSpec.input(pixels))
                            .region(RegionSpec.output(edges))
                            .open()) {
                while (!enough) {
                    edges.fill((byte) 1);
                    assertThat(client.invoke().isSuccess()).isTrue();
                    assertThat(edges.mismatch(expected)).isEqualTo(-1);
                    calls.incrementAndGet();
                }
            }
        }
    }

    private void awaitCalls() {
        int before = calls.get();
        Eventually.until(() -> calls.get() > before + 3 || enough);
    }

    @Test
    void aRoutineMovesFromTargetToTargetWhileItIsCalled() {
        try (Device ours = RoceLoopback.open();
                Device theirs = RoceLoopback.open();
                Node node =
                        Node.start(
                                ours,
                                new NodeOptions(
                                        0,
                                        edgesOn(Placement.on(Target.CPU)),
                                        OptionalInt.empty(),
                                        ServerOptions.builder().build()),
                                new ServerLog(_ -> {}))) {
            String host = ours.address().getHostAddress();
            CompletableFuture<Void> caller =
                    CompletableFuture.runAsync(() -> callAllTheTime(theirs, node, host))
                            .whenComplete((_, _) -> enough = true);
            for (Placement place :
                    new Placement[] {
                        Placement.on(Target.AFU),
                        Placement.on(Target.DPA),
                        Placement.on(Target.AFU).orElse(Target.CPU),
                        Placement.on(Target.CPU)
                    }) {
                awaitCalls();
                node.offer(edgesOn(place));
                assertThat(node.routines()).isEqualTo(RoutineCatalog.ROUTINES.routines().size());
            }
            assertThatThrownBy(() ->
                            node.offer(
                                    new RoutinePlan(
                                            RoutineCatalog.ROUTINES,
                                            Map.of("fft", Placement.on(Target.DPA)),
                                            Map.of())))
                    .hasMessageContaining("routine 'fft' does not run on target 'dpa'");
            for (Placement place :
                    new Placement[] {
                        Placement.on(Target.CHAIN), Placement.on(Target.AFU).orElse(Target.CHAIN)
                    }) {
                assertThatThrownBy(() -> node.offer(edgesOn(place)))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage(
                                "routine 'edges' on target 'chain': a node is on the data path from its start or not at all; start another one");
            }
            awaitCalls();
            enough = true;
            caller.join();

            Eventually.until(() -> node.counters().get("connections.ended") == 1);
            assertThat(node.counters())
                    .containsEntry("routine.edges.calls", (long) calls.get())
                    .containsEntry("routine.edges.errors", 0L)
                    .containsEntry("routine.edges.fallbacks", 0L)
                    .containsEntry("target.afu.running", 0L);
        }
    }
}
