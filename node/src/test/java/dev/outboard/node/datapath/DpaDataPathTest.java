package dev.outboard.node.datapath;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.naa.Dialect;
import dev.outboard.naa.RegionSpec;
import dev.outboard.naa.RpcResult;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.server.NaaServer;
import dev.outboard.naa.server.ServerObserver;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.node.routine.EdgeDetection;
import dev.outboard.node.routine.RoutineCatalog;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DpaDataPathTest {
    private static final AtomicInteger FABRICS = new AtomicInteger();

    private static final HandlerProgram COMPUTING =
            new HandlerProgram(
                    NodeHandlersStub.APP, NodeHandlersStub.compute, NodeHandlersStub::send);

    private final Queue<String> failures = new ConcurrentLinkedQueue<>();

    private Device open(String fabric, int host) {
        return fabric.equals("sim")
                ? Fabric.open(
                        "sim://data-path-%d/127.0.0.%d?clock=real".formatted(FABRICS.get(), host))
                : Fabric.open("roce://auto?peer=127.0.0.1");
    }

    private ServerOptions options() {
        return ServerOptions.builder()
                .dialect(Dialect.UPSTREAM_2026)
                .observer(
                        new ServerObserver() {
                            @Override
                            public void failed(String peer, RuntimeException failure) {
                                failures.add(String.valueOf(failure));
                                failure.printStackTrace();
                            }
                        })
                .build();
    }

    @ParameterizedTest
    @ValueSource(strings = {"sim", "roce"})
    void theHandlerAnswersAndTheHostSeesNoCall(String fabric) {
        FABRICS.incrementAndGet();
        try (Device card = open(fabric, 1);
                Device other = open(fabric, 2);
                DpaDataPath dpa = DpaDataPath.of(card, COMPUTING);
                NaaServer server =
                        NaaServer.start(card, 0, RoutineCatalog.ROUTINES, options(), dpa);
                Arena arena = Arena.ofShared()) {
            MemorySegment header = arena.allocate(EdgeDetection.HEADER_BYTES);
            EdgeDetection.writeHeader(header, 129, 65, 3);
            MemorySegment pixels = arena.allocate(129 * 65 * 3);
            byte[] random = new byte[(int) pixels.byteSize()];
            new SplittableRandom(1).nextBytes(random);
            pixels.copyFrom(MemorySegment.ofArray(random));
            MemorySegment edges = arena.allocate(129 * 65);
            MemorySegment expected = arena.allocate(129 * 65);
            EdgeDetection.detect(129, 65, 3, pixels, expected);
            try (NaaClient client =
                    NaaClient.builder(card.address().getHostAddress(), server.port())
                            .device(other)
                            .functionCode(RoutineCatalog.EDGE_DETECTION)
                            .region(RegionSpec.input(header))
                            .region(RegionSpec.input(pixels))
                            .region(RegionSpec.output(edges))
                            .build()) {
                client.connect();
                client.registerRegions();
                client.runMrsp();
                for (int i = 0; i < 20; i++) {
                    edges.fill((byte) 0);
                    RpcResult result = client.invoke();
                    assertThat(result.isSuccess()).isTrue();
                    assertThat(edges.mismatch(expected)).isEqualTo(-1);
                }
            }
            assertThat(server.counters()).containsEntry("rpcs", 0L).containsEntry("dpa.rpcs", 20L);
        }
        assertThat(failures).isEmpty();
    }
}
