package dev.outboard.node.datapath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.naa.RegionSpec;
import dev.outboard.naa.RpcException;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.server.NaaServer;
import dev.outboard.naa.server.RoutineSet;
import dev.outboard.naa.server.ServerObserver;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.node.offload.AfuFunction;
import dev.outboard.node.offload.MoodyAfu;
import dev.outboard.node.routine.RoutineCatalog;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Functions behind a handler that misbehave.
class MoodyChainTest {
    private static final String DEVICE = "roce://auto?peer=127.0.0.1";

    private final Queue<String> lines = new ConcurrentLinkedQueue<>();

    @ParameterizedTest
    @CsvSource({
        MoodyAfu.HANGS + ", 0x18, has not come to an end within",
        MoodyAfu.WRITES_NOWHERE + ", 0x18, MEM_UNMAPPED",
        MoodyAfu.TELLS_NO_CODE + ", 0x18, it returned 0x99; valid: 0x00 to 0x7f",
        MoodyAfu.TELLS_A_CODE + ", 0x42, ''"
    })
    void theCallerHearsAndTheNextOneIsServed(int mood, int code, String why) {
        try (Device card = Fabric.open(DEVICE);
                Device other = Fabric.open(DEVICE);
                DpaDataPath path =
                        DpaDataPath.chain(
                                card,
                                DataPaths.FORWARDING,
                                Set.of(RoutineCatalog.EDGE_DETECTION),
                                AfuFunction.of(MoodyAfu.ID, MoodyAfu::new),
                                Duration.ofMillis(300),
                                lines::add);
                NaaServer server =
                        NaaServer.start(
                                card,
                                0,
                                RoutineSet.of(),
                                ServerOptions.builder().observer(new ServerObserver() {}).build(),
                                path);
                Arena arena = Arena.ofShared();
                NaaClient client =
                        NaaClient.builder(card.address().getHostAddress(), server.port())
                                .device(other)
                                .functionCode(RoutineCatalog.EDGE_DETECTION)
                                .region(RegionSpec.inputOutput(arena.allocate(64)))
                                .open()) {
            for (int i = 0; i < 2; i++) {
                client.setUserImmediate((byte) mood, (byte) 0, (byte) 0);
                assertThatThrownBy(client::invoke)
                        .isInstanceOfSatisfying(
                                RpcException.class,
                                failure -> assertThat(failure.returnCode()).isEqualTo(code));
                client.setUserImmediate((byte) MoodyAfu.ENDS, (byte) 0, (byte) 0);
                assertThat(client.invoke().isSuccess()).isTrue();
            }
        }
        if (why.isEmpty()) {
            assertThat(lines).isEmpty();
        } else {
            assertThat(lines).hasSize(2).allMatch(line -> line.contains(why));
        }
    }
}
