package dev.outboard.console.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.console.BesideOthers;
import dev.outboard.console.Execution;
import dev.outboard.console.OutboardProcess;
import dev.outboard.testkit.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What routines in processes of their own may do to their node: nothing.
@BesideOthers
class IsolationTest {
    /// Does as the first byte of its region says.
    private static final String MOODY =
            """
            var memory = rpc.parameter(0).memory();
            var BYTE = java.lang.foreign.ValueLayout.JAVA_BYTE;
            switch (memory.get(BYTE, 0)) {
                case 'a' -> memory.fill((byte) 'b');
                case 'c' -> throw new RoutineException(0x42, "as it likes");
                case 'd' -> throw new IllegalStateException("just so");
                case 'e' -> System.exit(7);
                case 'l' -> { while (true) { Thread.onSpinWait(); } }
                case 'm' -> {
                    var list = new java.util.ArrayList<long[]>();
                    while (true) { list.add(new long[1 << 20]); }
                }
                case 'n' -> {
                    var arena = java.lang.foreign.Arena.global();
                    while (true) { arena.allocate(1 << 24).fill((byte) 1); }
                }
                case 's' -> java.lang.foreign.MemorySegment.NULL.reinterpret(8).set(BYTE, 0, (byte) 1);
                case 'o' -> System.out.println("printed by a routine");
                case 'q' -> memory.get(BYTE, memory.byteSize());
                case 't' -> Thread.ofPlatform().start(() -> System.exit(9));
                case 'w' -> {
                    java.nio.file.Files.createFile(java.nio.file.Path.of("SIGNAL.begun"));
                    while (!java.nio.file.Files.exists(java.nio.file.Path.of("SIGNAL.go"))) {
                        Thread.onSpinWait();
                    }
                }
                default -> {}
            }
            return 0;
            """;

    @TempDir private static Path directory;
    private static Path jar;
    private static OutboardProcess node;

    @BeforeAll
    static void startANode() throws IOException {
        jar = directory.resolve("moody.jar");
        String body = MOODY.replace("SIGNAL", directory.resolve("signal").toString());
        RoutineJar.of("Moody", RoutineJar.provider("Moody", 42, "moody", body), jar);
        node =
                OutboardProcess.node(
                        "--isolated",
                        jar.toString(),
                        "--isolated-memory",
                        "64MiB",
                        "--workers",
                        "4");
    }

    @AfterAll
    static void end() {
        node.close();
    }

    @ParameterizedTest
    @CsvSource({
        "c, 0x42, as it likes",
        "d, 0x10, java.lang.IllegalStateException: just so",
        "q, 0x10, java.lang.IndexOutOfBoundsException: .*",
        "e, 0x18, the process of .*moody.jar has ended with exit code 7",
        "m, 0x18, 'the process of .*moody.jar has ended with exit code 3, as Java does without memory'",
        "n, 0x18, 'the process of .*moody.jar (has ended with exit code 3, as .*|was ended by signal .*)'",
        "s, 0x18, the process of .*moody.jar was ended by signal 6",
    })
    void theCallerHearsAndTheNextOneIsServed(String mood, String code, String why)
            throws IOException {
        Execution run = call(mood).awaitEnd();

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains(code);
        node.awaitLine("client .*: function 42 failed: (moody: )?" + why);
        inverts();
    }

    @Test
    void aLoopThatIgnoresEverythingIsEndedWhenItsTimeIsOver() throws IOException {
        try (OutboardProcess impatient =
                OutboardProcess.node("--isolated", jar.toString(), "--rpc-time", "1s")) {
            List<ProcessHandle> before = processesOf(impatient);
            Execution run = impatient.call(42, "--inout", file("l").toString()).awaitEnd();
            assertThat(run.err()).contains("0x02");
            Eventually.until(() -> before.stream().anyMatch(process -> !process.isAlive()));
            assertThat(impatient.call(42, "--inout", file("a").toString()).awaitEnd().exitCode())
                    .isZero();
        }
    }

    /// Nobody else gets anything: neither the call that runs, nor one that comes meanwhile.
    @Test
    void otherCallsGoOnWhenOneCrashes() throws IOException {
        Path begun = directory.resolve("signal.begun");
        try (OutboardProcess waits = call("w")) {
            Eventually.until(() -> Files.exists(begun));
            assertThat(call("s").awaitEnd().err()).contains("0x18");
            inverts();
            Files.createFile(directory.resolve("signal.go"));
            assertThat(waits.awaitEnd().exitCode()).isZero();
        }
    }

    @Test
    void aProcessThatEndsAfterItsCallHarmsNoLaterOne() throws IOException {
        List<ProcessHandle> before = processesOf(node);
        assertThat(call("t").awaitEnd().exitCode()).isIn(0, 1);
        Eventually.until(() -> before.stream().anyMatch(process -> !process.isAlive()));
        inverts();
    }

    @Test
    void whatARoutinePrintsDisturbsNobody() throws IOException {
        assertThat(call("o").awaitEnd().exitCode()).isZero();
        node.awaitErrorLine("printed by a routine");
    }

    /// Whatever the routines are doing, and however the node ends.
    @ParameterizedTest
    @CsvSource({"true", "false"})
    void noProcessOutlivesTheNode(boolean isKilled) throws IOException {
        try (OutboardProcess ending =
                        OutboardProcess.node(
                                "--isolated", jar.toString(), "--shutdown-time", "1s");
                OutboardProcess _ = ending.call(42, "--inout", file("l").toString())) {
            ending.awaitLine("client .* connected.*");
            List<ProcessHandle> processes = processesOf(ending);
            if (isKilled) {
                ending.handle().destroyForcibly();
            } else {
                ending.handle().destroy();
            }
            Eventually.until(() -> processes.stream().noneMatch(ProcessHandle::isAlive));
        }
    }

    /// What it runs on is the node's.
    @Test
    void aRoutineOnATargetIsRefused() throws IOException {
        Path afu = directory.resolve("afu.jar");
        String source =
                RoutineJar.provider("Mine", 43, "mine", "return 0;")
                        .replace(
                                "Mine::run",
                                "dev.outboard.node.offload.Offload.afu(() -> null, java.util.UUID.randomUUID())");
        RoutineJar.of("Mine", source, afu);

        assertThat(Execution.ofOutboard("naa", "serve", "--isolated", afu.toString()).err())
                .isEqualTo(
                        "outboard: routine 'mine' of %s runs on a target, which only the node itself opens; it cannot be isolated%n"
                                .formatted(afu));
    }

    @Test
    void anIsolatedJarIsListedAndRefusedAsAnyOther() throws IOException {
        assertThat(
                        Execution.ofOutboard("naa", "routines", "--isolated", jar.toString())
                                .out()
                                .lines())
                .anyMatch(line -> line.startsWith("  42  moody"));
        Path none = directory.resolve("none.jar");
        assertThat(Execution.ofOutboard("naa", "serve", "--isolated", none.toString()).err())
                .isEqualTo("outboard: there is no file %s%n".formatted(none));
        Path same = directory.resolve("same.jar");
        RoutineJar.of("Mine", RoutineJar.provider("Mine", 1, "mine", "return 0;"), same);
        assertThat(Execution.ofOutboard("naa", "serve", "--isolated", same.toString()).err())
                .isEqualTo(
                        "outboard: function code 1 belongs to two routines: 'increment' of dev.outboard.node.routine.RoutineCatalog and 'mine' of %s; --no-builtins leaves out the first%n"
                                .formatted(same));
    }

    private static List<ProcessHandle> processesOf(OutboardProcess node) {
        Eventually.until(() -> node.handle().children().count() > 1);
        return node.handle().children().toList();
    }

    private static void inverts() throws IOException {
        Path file = file("a");
        Execution run = node.call(42, "--inout", file.toString()).awaitEnd();
        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(file).hasContent("bbbb");
    }

    private static OutboardProcess call(String mood) throws IOException {
        return node.call(42, "--inout", file(mood).toString());
    }

    private static Path file(String mood) throws IOException {
        return Files.writeString(Files.createTempFile(directory, "region", null), mood.repeat(4));
    }
}
