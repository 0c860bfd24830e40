package dev.outboard.console.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.console.Execution;
import dev.outboard.console.OutboardProcess;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Whom a node serves, how much they get, and how it ends: as its operator says with options.
class ServeLimitsTest {
    private static final int WAITING = 42;

    @TempDir private Path directory;
    private String file;

    @BeforeEach
    void writeAFile() throws IOException {
        file = Files.writeString(directory.resolve("some.txt"), "hello").toString();
    }

    /// A routine that says that it runs, and runs until a file appears.
    private Path waitingRoutine() throws IOException {
        String body =
                """
                java.nio.file.Files.createFile(java.nio.file.Path.of("%s"));
                while (!java.nio.file.Files.exists(java.nio.file.Path.of("%s"))) {
                    java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
                }
                return ReturnCode.SUCCESS;
                """
                        .formatted(directory.resolve("running"), directory.resolve("release"));
        return RoutineJar.of(
                "Waiting",
                RoutineJar.provider("Waiting", WAITING, "waiting", body),
                directory.resolve("waiting.jar"));
    }

    @Test
    @Requirement({"NAA-MULTI-8", "NAA-MULTI-3"})
    void aNodeThatIsToldToEndFinishesTheCallsThatRunAndRefusesOthers() throws IOException {
        String jar = waitingRoutine().toString();
        try (OutboardProcess node =
                        OutboardProcess.node(
                                "--routines",
                                jar,
                                "--max-connections",
                                "2",
                                "--shutdown-time",
                                "60s",
                                "--stats");
                OutboardProcess running = OutboardProcess.start(words(node, WAITING))) {
            Eventually.until(() -> Files.exists(directory.resolve("running")));
            node.handle().destroy();
            Eventually.until(() ->
                    call(node, 3).err().contains("rejected: \"the server is shutting down\""));
            Files.createFile(directory.resolve("release"));

            Execution call = running.awaitEnd();
            assertThat(call.exitCode()).as(call.toString()).isZero();
            assertThat(call.out()).contains("0x00 (success)");
            Execution end = node.awaitEnd();
            assertThat(end.err()).isEmpty();
            assertThat(end.out()).contains("rejected: the server is shutting down");
            assertThat(end.out()).containsPattern("rejected.shutting-down +[1-9]");
        }
    }

    @Test
    void aNodeThatIsToldToEndWaitsNoLongerThanItMay() throws IOException {
        String jar = waitingRoutine().toString();
        try (OutboardProcess node =
                        OutboardProcess.node("--routines", jar, "--shutdown-time", "100ms");
                OutboardProcess running = OutboardProcess.start(words(node, WAITING))) {
            Eventually.until(() -> Files.exists(directory.resolve("running")));
            node.handle().destroy();

            assertThat(node.awaitEnd().err()).isEmpty();
            assertThat(running.awaitEnd().exitCode()).isEqualTo(1);
        }
    }

    @Test
    @Requirement({"NAA-ROB-4", "NAA-CONN-7"})
    void aNodeServesTheNetworksItIsToldTo() {
        try (OutboardProcess node =
                OutboardProcess.node("--allow", "10.0.0.0/8,::1/128", "--stats")) {
            Execution refused = call(node, 3);

            assertThat(refused.exitCode()).isEqualTo(1);
            assertThat(refused.err())
                    .containsPattern("rejected: \"127\\.[0-9.]+ is not allowed here\"");
            node.awaitLine("client 127\\..* rejected: 127\\..* is not allowed here");
            node.handle().destroy();
            assertThat(node.awaitEnd().out()).containsPattern("rejected.not-allowed +1");
        }
        try (OutboardProcess node =
                OutboardProcess.node("--allow", "::1", "--allow", "127.0.0.0/8")) {
            assertThat(call(node, 3).exitCode()).isZero();
        }
    }

    @Test
    void saysWhatANetworkIs() {
        Execution run = Execution.ofOutboard("naa", "serve", "--allow", "10.0.0.1/8");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err())
                .contains("'10.0.0.1/8' is not a network; valid are for example 10.0.0.0/8");
    }

    @Test
    @Requirement({"NAA-LIM-5", "NAA-ADDR-6", "NAA-RET-13"})
    void aNodeHasTheLimitsItIsGiven() throws IOException {
        String jar = waitingRoutine().toString();
        try (OutboardProcess node =
                OutboardProcess.node(
                        "--routines",
                        jar,
                        "--max-regions",
                        "2",
                        "--max-client-memory",
                        "1MiB",
                        "--address-space",
                        "512KiB",
                        "--banks",
                        "2",
                        "--setup-time",
                        "30s",
                        "--idle-time",
                        "30s",
                        "--rpc-time",
                        "100ms",
                        "--workers",
                        "1",
                        "--max-queued",
                        "1",
                        "--stats")) {
            assertThat(call(node, 3, "--in", file, "--in", file).err()).contains("0x03");
            node.awaitLine(".*refused the client: 3 regions; the limit is 2.*");
            assertThat(call(node, 3, "--out", "1048573:out").exitCode()).isEqualTo(1);
            node.awaitLine(".*refused the client: 1048573 bytes at NAA address 0x1000; a bank .*");
            assertThat(call(node, 3, "--out", "1MiB:out").exitCode()).isEqualTo(1);
            assertThat(call(node, WAITING).err()).contains("0x02");
            node.awaitLine("client .*: function 42 failed: waiting: its time was over.*");
            assertThat(call(node, 3).exitCode()).isZero();
            node.handle().destroy();
            assertThat(node.awaitEnd().out())
                    .containsPattern("refused.regions +1")
                    .containsPattern("refused.address +2")
                    .containsPattern("routines.timeout +1")
                    .containsPattern("routine.empty.calls +1");
        }
    }

    @Test
    void saysWhichLimitsMakeNoSense() {
        Execution run = Execution.ofOutboard("naa", "serve", "--bind", "auto", "--banks", "3");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("outboard: --banks: 3 banks of an NAA memory of");
    }

    private String[] words(OutboardProcess node, int function, String... more) {
        List<String> words =
                new ArrayList<>(
                        List.of(
                                "naa",
                                "call",
                                node.address(),
                                "--function",
                                String.valueOf(function),
                                "--in",
                                file));
        words.addAll(List.of(more));
        return words.toArray(String[]::new);
    }

    private Execution call(OutboardProcess node, int function, String... more) {
        return Execution.ofOutboard(words(node, function, more));
    }
}
