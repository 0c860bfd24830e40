package dev.outboard.node.datapath;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.naa.Dialect;
import dev.outboard.naa.RegionSpec;
import dev.outboard.naa.ReturnCode;
import dev.outboard.naa.RpcException;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.server.ServerLog;
import dev.outboard.naa.server.ServerObserver;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.node.Node;
import dev.outboard.node.NodeOptions;
import dev.outboard.node.offload.KernelLanguage;
import dev.outboard.node.offload.Kernels;
import dev.outboard.node.offload.Placement;
import dev.outboard.node.offload.RoutinePlan;
import dev.outboard.node.offload.Target;
import dev.outboard.node.routine.EdgeDetection;
import dev.outboard.node.routine.RoutineCatalog;
import dev.outboard.node.routine.RoutineError;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DpaDataPathTest {
    private static final AtomicInteger FABRICS = new AtomicInteger();
    private static final int[][] IMAGES = {
        {1, 1, 1}, {3, 200, 1}, {200, 3, 3}, {129, 65, 3}, {640, 480, 3}
    };

    private final String fabric = "data-path-" + FABRICS.incrementAndGet();
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final Arena arena = Arena.ofShared();

    @AfterEach
    void close() {
        arena.close();
    }

    private Device open(String kind, int host) {
        return switch (kind) {
            case "sim" -> Fabric.open("sim://%s/127.0.0.%d?clock=real".formatted(fabric, host));
            case "lossy" -> Fabric.open("roce://auto?peer=127.0.0.1&fault=loss=5%25,seed=" + host);
            default -> Fabric.open("roce://auto?peer=127.0.0.1");
        };
    }

    private Node start(Device card, Map<String, Target> targets) {
        return start(card, targets, KernelLanguage.JAVA);
    }

    private Node start(Device card, Map<String, Target> targets, KernelLanguage kernels) {
        Kernels.assumeIn(kernels);
        ServerOptions options =
                ServerOptions.builder()
                        .dialect(Dialect.UPSTREAM_2026)
                        .observer(
                                new ServerObserver() {
                                    @Override
                                    public void failed(String peer, RuntimeException failure) {
                                        failures.add(String.valueOf(failure));
                                    }
                                })
                        .build();
        return Node.start(
                card,
                new NodeOptions(0, plan(targets, kernels), OptionalInt.empty(), options),
                new ServerLog(lines::add));
    }

    private static RoutinePlan plan(Map<String, Target> targets, KernelLanguage kernels) {
        return new RoutinePlan(
                RoutineCatalog.ROUTINES,
                targets.entrySet().stream()
                        .collect(toMap(Map.Entry::getKey, entry -> Placement.on(entry.getValue()))),
                Map.of(),
                kernels);
    }

    private final class Edges implements AutoCloseable {
        private final MemorySegment edges;
        private final MemorySegment expected;
        private final NaaClient client;

        Edges(Device device, Device card, Node node, int... image) {
            MemorySegment header = arena.allocate(EdgeDetection.HEADER_BYTES);
            EdgeDetection.writeHeader(header, image[0], image[1], image[2]);
            long pixelCount = (long) image[0] * image[1];
            MemorySegment pixels = arena.allocate(pixelCount * image[2]);
            byte[] random = new byte[(int) pixels.byteSize()];
            new SplittableRandom(1).nextBytes(random);
            pixels.copyFrom(MemorySegment.ofArray(random));
            edges = arena.allocate(pixelCount);
            expected = arena.allocate(pixelCount);
            if (image[2] != 2) {
                EdgeDetection.detect(image[0], image[1], image[2], pixels, expected);
            }
            client =
                    NaaClient.builder(card.address().getHostAddress(), node.port())
                            .device(device)
                            .functionCode(RoutineCatalog.EDGE_DETECTION)
                            .region(RegionSpec.input(header))
                            .region(RegionSpec.input(pixels))
                            .region(RegionSpec.output(edges))
                            .open();
        }

        void call() {
            edges.fill((byte) 0);
            assertThat(client.invoke().isSuccess()).isTrue();
            assertThat(edges.mismatch(expected)).isEqualTo(-1);
        }

        @Override
        public void close() {
            client.close();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "DPA_HANDLER, JAVA, sim",
        "DPA_HANDLER, JAVA, roce",
        "DPA_HANDLER, JAVA, lossy",
        "DPA_HANDLER, C, sim",
        "DPA_HANDLER, C, roce",
        "CHAIN, JAVA, sim",
        "CHAIN, JAVA, roce",
        "CHAIN, JAVA, lossy",
        "CHAIN, C, roce"
    })
    void edgesAreTheSameAndTheHostSeesNoCall(Target target, KernelLanguage kernels, String kind) {
        try (Device card = open(kind, 1);
                Device other = open(kind, 2);
                Node node = start(card, Map.of("edges", target), kernels)) {
            for (int[] image : IMAGES) {
                try (Edges one = new Edges(other, card, node, image)) {
                    for (int i = 0; i < 4; i++) {
                        one.call();
                    }
                }
            }
            assertThat(node.counters())
                    .containsEntry("rpcs", 0L)
                    .containsEntry("dpa.rpcs", 4L * IMAGES.length)
                    .containsEntry("dpa.answers", 4L * IMAGES.length);
        }
        assertThat(failures).isEmpty();
        assertThat(lines).allMatch(line -> line.startsWith("edges on target chain: "));
    }

    @Test
    void whatIsNotOfferedIsNotAvailable() {
        try (Device card = open("roce", 1);
                Device other = open("roce", 2);
                Node node = start(card, Map.of("empty", Target.DPA_HANDLER));
                Edges edges = new Edges(other, card, node, 4, 4, 1)) {
            assertThatThrownBy(edges.client::invoke)
                    .isInstanceOfSatisfying(
                            RpcException.class,
                            failure ->
                                    assertThat(failure.returnCode())
                                            .isEqualTo(ReturnCode.NOT_AVAILABLE));
        }
    }

    @Test
    void whoConnectsLaterFindsWhatIsOfferedThenAndTheOthersStay() {
        try (Device card = open("roce", 1);
                Device other = open("roce", 2);
                Node node = start(card, Map.of("edges", Target.DPA_HANDLER))) {
            try (Edges first = new Edges(other, card, node, 40, 30, 3)) {
                first.call();
                node.offer(plan(Map.of("edges", Target.CHAIN), KernelLanguage.JAVA));
                first.call();
                assertThat(node.counters()).containsEntry("afu.cycles", 0L);
                try (Edges second = new Edges(other, card, node, 40, 30, 3)) {
                    second.call();
                    assertThat(node.counters().get("afu.cycles")).isPositive();
                    first.call();
                }
            }
            node.offer(
                    plan(
                            Map.of("empty", Target.DPA_HANDLER, "edges", Target.DPA_HANDLER),
                            KernelLanguage.JAVA));
            assertThat(node.routines()).isEqualTo(2);
            RoutinePlan elsewhere = plan(Map.of("edges", Target.CPU), KernelLanguage.JAVA);
            assertThatThrownBy(() -> node.offer(elsewhere))
                    .hasMessage(
                            "a node is on the data path from its start or not at all; start another one");
            try (Edges third = new Edges(other, card, node, 40, 30, 3)) {
                third.call();
            }
        }
        assertThat(failures).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"DPA_HANDLER", "CHAIN"})
    void whatIsNoImageHasItsCodeAndTheNextCallIsServed(Target target) {
        try (Device card = open("roce", 1);
                Device other = open("roce", 2);
                Node node = start(card, Map.of("edges", target));
                Edges wrong = new Edges(other, card, node, 4, 4, 2);
                Edges right = new Edges(other, card, node, 4, 4, 1)) {
            assertThatThrownBy(wrong.client::invoke)
                    .isInstanceOfSatisfying(
                            RpcException.class,
                            failure ->
                                    assertThat(failure.returnCode())
                                            .isEqualTo(RoutineError.IMAGE_DIMENSIONS.code()));
            right.call();
            assertThatThrownBy(wrong.client::invoke).isInstanceOf(RpcException.class);
        }
    }

    /// Each has a process of the DPA, and a function of its own.
    @ParameterizedTest
    @CsvSource({"DPA_HANDLER", "CHAIN"})
    void manyClientsAreServedAtOnce(Target target) {
        int clients = 24;
        try (Device card = open("roce", 1);
                Device other = open("roce", 2);
                Node node = start(card, Map.of("edges", target))) {
            List<Edges> all = new ArrayList<>();
            try {
                for (int i = 0; i < clients; i++) {
                    all.add(new Edges(other, card, node, 40 + i, 30, 3));
                }
                try (ExecutorService threads = Executors.newFixedThreadPool(clients)) {
                    List<Future<?>> calls = new ArrayList<>();
                    for (Edges one : all) {
                        calls.add(
                                threads.submit(() -> {
                                    for (int i = 0; i < 10; i++) {
                                        one.call();
                                    }
                                }));
                    }
                    assertThat(calls).allSatisfy(call -> call.get(60, TimeUnit.SECONDS));
                }
            } finally {
                all.forEach(Edges::close);
            }
            assertThat(node.counters())
                    .containsEntry("rpcs", 0L)
                    .containsEntry("dpa.answers", 10L * clients);
        }
        assertThat(failures).isEmpty();
    }

    @Test
    void aDataPathHasAllRoutinesOfItsNode() {
        try (Device card = open("sim", 1)) {
            assertThatThrownBy(
                            () -> start(card, Map.of("edges", Target.CHAIN, "empty", Target.CPU)))
                    .hasMessage(
                            "routines on targets [cpu, chain]: with 'chain' the processors of the node see no RPC, so that all its routines are there");
            assertThatThrownBy(() -> start(card, Map.of("fft", Target.DPA_HANDLER)))
                    .hasMessage("routine 'fft' does not run on target 'dpa-handler'; valid: cpu");
            assertThatThrownBy(() -> start(card, Map.of("egdes", Target.CHAIN)))
                    .hasMessageStartingWith("routine 'egdes'; valid: increment,");
        }
    }
}
