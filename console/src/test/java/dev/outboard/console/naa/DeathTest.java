package dev.outboard.console.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.console.Execution;
import dev.outboard.console.OutboardProcess;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A process that is killed in the middle of a transfer, and one that is asked to end.
class DeathTest {
    /// Makes a transfer of the file below last for seconds.
    private static final String SLOW = "delay=50ms";

    private static final int BYTES = 8 << 20;

    @TempDir private Path directory;

    @Test
    void aCallReportsThatTheNodeDied() throws IOException {
        try (OutboardProcess node = OutboardProcess.node("--fault", SLOW);
                OutboardProcess call = call(node)) {
            call.awaitErrorLine("transfer: .*");
            node.handle().destroyForcibly();

            Execution run = call.awaitEnd();

            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.err().lines().filter(line -> !line.startsWith("transfer:")))
                    .singleElement()
                    .asString()
                    .startsWith("outboard: RPC with " + node.address() + ": ");
        }
    }

    @Test
    @Requirement({"NAA-MULTI-4", "NAA-ROB-2"})
    void aNodeServesTheNextClientWhenOneHasDied() throws IOException {
        try (OutboardProcess node = OutboardProcess.node("--max-connections", "1", "--stats");
                OutboardProcess dying = call(node, "--fault", SLOW)) {
            dying.awaitErrorLine("transfer: .*");
            dying.handle().destroyForcibly();
            node.awaitLine("client .* failed: .*");

            try (OutboardProcess next = call(node)) {
                Execution run = next.awaitEnd();
                assertThat(run.exitCode()).as(run.toString()).isZero();
            }
            node.awaitLine("client .* disconnected after 1 RPCs, 8 MiB in, 8 MiB out");
        }
    }

    /// Nothing on the wire tells of a process that is killed while it waits for its result, and the
    /// call may take an hour: only a probe can find out.
    @Test
    @Requirement("NAA-MULTI-4")
    void aNodeEndsTheCallOfAClientThatDiesWhileItComputes() throws IOException {
        String computes =
                """
                System.out.println("computes");
                while (!rpc.isCancelled()) {
                    java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
                }
                System.out.println("cancelled");
                return 0;
                """;
        Path jar =
                RoutineJar.of(
                        "Long",
                        RoutineJar.provider("Long", 42, "long", computes),
                        directory.resolve("long.jar"));
        try (OutboardProcess node =
                        OutboardProcess.node(
                                "--routines",
                                jar.toString(),
                                "--max-connections",
                                "1",
                                "--rpc-time",
                                "60min",
                                "--probe-interval",
                                "1s",
                                "--probe-time",
                                "1s");
                OutboardProcess dying = call(node, 42)) {
            node.awaitLine("computes");
            dying.handle().destroyForcibly();

            node.awaitLine("cancelled");
            node.awaitLine("client .* failed: .*the client does not answer any more.*");
            try (OutboardProcess next = call(node, 3)) {
                Execution run = next.awaitEnd();
                assertThat(run.exitCode()).as(run.toString()).isZero();
            }
        }
    }

    @Test
    void aNodeEndsInOrderWhenAskedTo() throws IOException {
        try (OutboardProcess node = OutboardProcess.node("--stats");
                OutboardProcess call = call(node, "--fault", SLOW)) {
            call.awaitErrorLine("transfer: .*");
            node.handle().destroy();

            Execution end = node.awaitEnd();

            assertThat(end.err()).isEmpty();
            assertThat(end.out()).contains("node, all connections", "connections.ended");
            assertThat(call.awaitEnd().exitCode()).isEqualTo(1);
        }
    }

    private OutboardProcess call(OutboardProcess node, String... options) throws IOException {
        return call(node, 3, options);
    }

    private OutboardProcess call(OutboardProcess node, int function, String... options)
            throws IOException {
        Path file = directory.resolve("bytes.bin");
        if (!Files.exists(file)) {
            Files.write(file, new byte[BYTES]);
        }
        List<String> words = new ArrayList<>(List.of("--inout", file.toString()));
        words.addAll(List.of(options));
        return node.call(function, words.toArray(String[]::new));
    }
}
