package dev.outboard.node.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.naa.RegionSpec;
import dev.outboard.naa.RpcException;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.server.NaaServer;
import dev.outboard.naa.server.RoutineSet;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.naa.server.ServerLog;
import dev.outboard.naa.server.ServerObserver;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.testkit.Eventually;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a node tells of its calls.
class SlowCallsTest {
    private static final String DEVICE = "roce://auto?peer=127.0.0.1";
    private static final CountDownLatch NEVER = new CountDownLatch(1);
    private static final RoutineSet ROUTINES =
            RoutineSet.of(
                    RoutineSpec.of(7, "slow", _ -> NEVER.await(30, TimeUnit.MILLISECONDS) ? 1 : 5));

    /// Calls it once; it takes 30 ms and returns 5.
    private static void call(ServerObserver observer) {
        try (Device card = Fabric.open(DEVICE);
                Device other = Fabric.open(DEVICE);
                NaaServer server =
                        NaaServer.start(
                                card,
                                0,
                                ROUTINES,
                                ServerOptions.builder().observer(observer).build());
                Arena arena = Arena.ofShared();
                NaaClient client =
                        NaaClient.builder(card.address().getHostAddress(), server.port())
                                .device(other)
                                .functionCode(7)
                                .region(RegionSpec.input(arena.allocate(8)))
                                .open()) {
            client.startRpc();
            client.spinUntilFinished(Duration.ofSeconds(20));
        } catch (RpcException code5) {
            assertThat(code5.returnCode()).isEqualTo(5);
        }
    }

    @Test
    void aSlowCallIsToldWithItsStepsAndAFastOneIsNot() {
        Queue<String> lines = new ConcurrentLinkedQueue<>();
        ServerLog log = new ServerLog(lines::add);
        call(new SlowCalls(log, Duration.ofMillis(20)));
        call(new SlowCalls(log, Duration.ofMinutes(1)));
        Eventually.until(() -> !lines.isEmpty());
        log.flush(Duration.ofSeconds(5));
        assertThat(lines)
                .singleElement()
                .asString()
                .matches(
                        "client .*: function 7 took [0-9.]+ ms \\(waited [0-9.]+, computed (30|[3-9][0-9]|[0-9]{3,})\\.[0-9], answered [0-9.]+\\), code 0x05");
    }

    @Test
    void theFlightRecorderHasEachCall(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("calls.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("dev.outboard.Rpc");
            recording.start();
            call(RpcEvent.recording());
            recording.stop();
            recording.dump(file);
        }
        assertThat(Files.size(file)).isPositive();
        List<RecordedEvent> events =
                RecordingFile.readAllEvents(file).stream()
                        .filter(event -> event.getEventType().getName().equals("dev.outboard.Rpc"))
                        .toList();
        assertThat(events)
                .singleElement()
                .satisfies(event -> {
                    assertThat(event.getInt("function")).isEqualTo(7);
                    assertThat(event.getInt("code")).isEqualTo(5);
                    assertThat(event.getDuration("computed"))
                            .isGreaterThanOrEqualTo(Duration.ofMillis(29));
                });
    }
}
