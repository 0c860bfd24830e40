package dev.outboard.console.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.console.Execution;
import dev.outboard.console.OutboardProcess;
import dev.outboard.console.TracedCall;
import dev.outboard.naa.Dialect;
import dev.outboard.testkit.TraceFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The traces of a node and of its client, each in a file of its own, and merged.
class TraceTest {
    @TempDir private Path directory;

    /// Each dialect calls and answers by one immediate value.
    @ParameterizedTest
    @EnumSource(Dialect.class)
    void mergedTheyShowTheWayOfEachCall(Dialect dialect) throws IOException {
        Path atNode = directory.resolve("node.pftrace");
        Path atClient = directory.resolve("client.pftrace");
        Path merged = directory.resolve("merged.pftrace");
        Path data = Files.write(directory.resolve("data.bin"), new byte[100_000]);
        try (OutboardProcess node = OutboardProcess.node("--trace", atNode.toString());
                OutboardProcess client =
                        node.call(
                                1,
                                "--dialect",
                                dialect.toString(),
                                "--inout",
                                data.toString(),
                                "--repeat",
                                "3",
                                "--trace",
                                atClient.toString())) {
            Execution call = client.awaitEnd();
            assertThat(call.exitCode()).as(call.toString()).isZero();
            node.awaitLine("client .* disconnected after 3 RPCs.*");
            node.handle().destroy();
            node.awaitEnd();
        }

        Execution merge =
                Execution.ofOutboard(
                        "trace",
                        "merge",
                        atNode.toString(),
                        atClient.toString(),
                        "--to",
                        merged.toString());
        assertThat(merge.exitCode()).as(merge.toString()).isZero();
        assertThat(TracedCall.in(TraceFile.read(Files.readAllBytes(merged))))
                .hasSize(3)
                .allSatisfy(call ->
                        assertThat(call.words())
                                .isEqualTo(
                                        List.of(
                                                "client: function 1",
                                                "client: WRITE inputs",
                                                "NIC: sent",
                                                "NIC: received",
                                                "node: function 1",
                                                "node: compute",
                                                "node: increment",
                                                "node: WRITEs of the answer",
                                                "NIC: sent",
                                                "NIC: received",
                                                "client: WRITEs of the answer arrive")));
        assertThat(TraceFile.read(Files.readAllBytes(atNode)).slices("received by.*"))
                .anyMatch(slice -> slice.name().startsWith("WRITE_MIDDLE ×"));
        assertThat(TraceFile.read(Files.readAllBytes(atClient)).slices("received by.*"))
                .anyMatch(slice -> slice.name().startsWith("WRITE_MIDDLE ×"));
    }
}
