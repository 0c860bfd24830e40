package dev.outboard.console.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.console.Execution;
import dev.outboard.console.OutboardProcess;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
        Path file = directory.resolve("bytes.bin");
        if (!Files.exists(file)) {
            Files.write(file, new byte[BYTES]);
        }
        String[] words = new String[7 + options.length];
        System.arraycopy(
                new String[] {
                    "naa", "call", node.address(), "--function", "3", "--inout", file.toString()
                },
                0,
                words,
                0,
                7);
        System.arraycopy(options, 0, words, 7, options.length);
        return OutboardProcess.start(words);
    }
}
