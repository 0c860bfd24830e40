package dev.outboard.node.datapath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.naa.NaaConnectException;
import dev.outboard.naa.RegionSpec;
import dev.outboard.naa.RpcException;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.client.NaaClientBuilder;
import dev.outboard.naa.server.NaaServer;
import dev.outboard.naa.server.RoutineSet;
import dev.outboard.naa.server.ServerObserver;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.node.offload.AfuFunction;
import dev.outboard.node.offload.KernelLanguage;
import dev.outboard.node.offload.MoodyAfu;
import dev.outboard.node.routine.RoutineCatalog;
import dev.outboard.testkit.Eventually;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Functions behind a handler that misbehave.
class MoodyChainTest {
    private static final String DEVICE = "roce://auto?peer=127.0.0.1";

    private final Queue<String> lines = new ConcurrentLinkedQueue<>();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final Arena arena = Arena.ofShared();
    private Device card;
    private Device other;
    private DpaDataPath path;
    private NaaServer server;

    @BeforeEach
    void open() {
        card = Fabric.open(DEVICE);
        other = Fabric.open(DEVICE);
        path =
                DpaDataPath.chain(
                        card,
                        NodePrograms.in(KernelLanguage.JAVA).forwarding(),
                        Set.of(RoutineCatalog.EDGE_DETECTION),
                        AfuFunction.of(MoodyAfu.ID, MoodyAfu::new),
                        Duration.ofMillis(300),
                        lines::add);
        ServerObserver observer =
                new ServerObserver() {
                    @Override
                    public void failed(String peer, RuntimeException failure) {
                        failures.add(String.valueOf(failure.getMessage()));
                    }
                };
        server =
                NaaServer.start(
                        card,
                        0,
                        RoutineSet.of(),
                        ServerOptions.builder().observer(observer).build(),
                        path);
    }

    @AfterEach
    void close() {
        server.close();
        path.close();
        other.close();
        card.close();
        arena.close();
    }

    private NaaClientBuilder builder() {
        return NaaClient.builder(card.address().getHostAddress(), server.port())
                .device(other)
                .functionCode(RoutineCatalog.EDGE_DETECTION);
    }

    private static void fails(NaaClient client, int mood, int code) {
        client.setUserImmediate((byte) mood, (byte) 0, (byte) 0);
        assertThatThrownBy(client::invoke)
                .isInstanceOfSatisfying(
                        RpcException.class,
                        failure -> assertThat(failure.returnCode()).isEqualTo(code));
    }

    @ParameterizedTest
    @CsvSource({
        MoodyAfu.HANGS + ", 0x18, has not come to an end within",
        MoodyAfu.WRITES_NOWHERE + ", 0x18, MEM_UNMAPPED",
        MoodyAfu.TELLS_NO_CODE + ", 0x18, it returned 0x99; valid: 0x00 to 0x7f",
        MoodyAfu.THROWS + ", 0x18, the design has had enough",
        MoodyAfu.TELLS_A_CODE + ", 0x42, ''"
    })
    void theCallerHearsAndTheNextCallIsServed(int mood, int code, String why) {
        try (NaaClient client =
                builder().region(RegionSpec.inputOutput(arena.allocate(64))).open()) {
            for (int i = 0; i < 2; i++) {
                fails(client, mood, code);
                client.setUserImmediate((byte) MoodyAfu.READS, (byte) 0, (byte) 0);
                assertThat(client.invoke().isSuccess()).isTrue();
            }
        }
        if (why.isEmpty()) {
            assertThat(lines).isEmpty();
        } else {
            assertThat(lines).hasSize(2).allMatch(line -> line.contains(why));
        }
    }

    @Test
    void aFunctionReachesRegionsThatShareMemory() {
        MemorySegment all = arena.allocate(128);
        all.set(ValueLayout.JAVA_BYTE, 64, (byte) 0x42);
        try (NaaClient client =
                builder()
                        .region(RegionSpec.input(arena.allocate(64)).at(4096 + 64))
                        .region(RegionSpec.inputOutput(all).at(4096))
                        .open()) {
            fails(client, MoodyAfu.READS, 0x42);
        }
        assertThat(lines).isEmpty();
    }

    @Test
    void aRegionThatBeginsInTheMiddleOfALineIsRefusedWithAReason() {
        NaaClientBuilder overlapping =
                builder()
                        .region(RegionSpec.inputOutput(arena.allocate(128)).at(4096))
                        .region(RegionSpec.input(arena.allocate(64)).at(4096 + 8));
        assertThatThrownBy(overlapping::open).isInstanceOf(NaaConnectException.class);
        Eventually.until(() -> !failures.isEmpty());
        assertThat(failures)
                .containsExactly(
                        "a region of the client begins 8 bytes behind one it shares memory with; valid for a function of an FPGA: multiples of 64");
    }
}
