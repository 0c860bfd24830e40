package dev.outboard.console.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.console.Execution;
import dev.outboard.console.OutboardProcess;
import dev.outboard.naa.RegionSpec;
import dev.outboard.naa.RpcException;
import dev.outboard.naa.RpcResult;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.testkit.Eventually;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A node that is described by a file, and reads it again at a SIGHUP.
class ReloadTest {
    private static final int CODE = 42;
    private static final int OLD = 0x30;
    private static final int NEW = 0x31;

    @TempDir private Path directory;
    private volatile boolean enough;

    /// Codes that calls got, without those that are like the one before.
    private final List<Integer> codes = new CopyOnWriteArrayList<>();

    private Path write(String text) throws IOException {
        return Files.writeString(directory.resolve("node.yaml"), text);
    }

    /// A JAR with a routine that returns `code`; one that is called with a user byte waits before
    /// that until a file appears.
    private void jar(String name, int code) throws IOException {
        String body =
                """
                if (rpc.userByte(0) == 1) {
                    java.nio.file.Files.createFile(java.nio.file.Path.of("%s"));
                    while (!java.nio.file.Files.exists(java.nio.file.Path.of("%s"))) {
                        java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
                    }
                }
                return %d;
                """
                        .formatted(
                                directory.resolve("running"), directory.resolve("release"), code);
        String className = "Routine" + code;
        RoutineJar.of(
                className,
                RoutineJar.provider(className, CODE, "answer", body),
                directory.resolve(name));
    }

    private static NaaClient client(OutboardProcess node, Arena arena) {
        String address = node.address();
        int colon = address.lastIndexOf(':');
        return NaaClient.builder(
                        address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)))
                .functionCode(CODE)
                .region(RegionSpec.inputOutput(arena.allocate(8)))
                .open();
    }

    private static void hangUp(OutboardProcess node) throws Exception {
        Process kill = new ProcessBuilder("kill", "-HUP", "" + node.handle().pid()).start();
        assertThat(kill.waitFor()).isZero();
    }

    /// The routines answer with an error of theirs.
    private static int codeOf(CompletableFuture<RpcResult> call) {
        try {
            return call.join().returnCode();
        } catch (CompletionException e) {
            assertThat(e.getCause()).isInstanceOf(RpcException.class);
            return ((RpcException) e.getCause()).returnCode();
        }
    }

    private void callAllTheTime(NaaClient client) {
        while (!enough) {
            int code = codeOf(client.invokeAsync());
            if (codes.isEmpty() || codes.getLast() != code) {
                codes.add(code);
            }
        }
    }

    @Test
    void aHangupChangesTheRoutinesAndNoClientNotices() throws Exception {
        jar("old.jar", OLD);
        jar("new.jar", NEW);
        Path file = write("jars: [old.jar]\nroutines:\n  answer:\n");
        try (Arena arena = Arena.ofShared();
                OutboardProcess node =
                        OutboardProcess.node("--config", file.toString(), "--stats");
                NaaClient caller = client(node, arena);
                NaaClient waiter = client(node, arena)) {
            CompletableFuture<Void> calls =
                    CompletableFuture.runAsync(() -> callAllTheTime(caller));
            waiter.setUserImmediate((byte) 1, (byte) 0, (byte) 0);
            CompletableFuture<RpcResult> held = waiter.invokeAsync();
            Eventually.until(() -> Files.exists(directory.resolve("running")));
            Eventually.until(() -> codes.contains(OLD));

            write(
                    "limits: {workers: 2}\njars: [new.jar]\nroutines:\n  answer:\n  fft: {time: 1s}\n");
            hangUp(node);
            node.awaitLine(".*node.yaml was read again: 2 routines");
            node.awaitLine(".*node.yaml: changes of limits.workers wait for the next start");
            Eventually.until(() -> codes.contains(NEW));

            write("jars: [new.jar]\nroutines:\n  answr:\n");
            hangUp(node);
            node.awaitLine(
                    ".*node.yaml:3:3: there is no routine 'answr', did you mean 'answer'\\?");
            node.awaitLine(".*node.yaml is wrong: the node goes on as it was");
            Files.delete(file);
            hangUp(node);
            node.awaitLine(".*node.yaml was not taken, the node goes on as it was: .*NoSuchFile.*");

            assertThat(held).isNotDone();
            Files.createFile(directory.resolve("release"));
            assertThat(codeOf(held)).isEqualTo(OLD);
            enough = true;
            calls.join();
            assertThat(codes).containsExactly(OLD, NEW);
            node.handle().destroy();
            Execution end = node.awaitEnd();
            assertThat(end.err()).isEmpty();
            assertThat(end.out()).doesNotContain("failed: ");
        }
    }

    @Test
    void optionsWinOverTheFile() throws Exception {
        Path file = write("port: 1\nlimits: {max-regions: 1}\nroutines: {fft: }\n");
        Path in = Files.writeString(directory.resolve("some.txt"), "hello");
        try (OutboardProcess node =
                OutboardProcess.node("--config", file.toString(), "--offer", "empty")) {
            node.awaitLine("ready at .*, 1 routines, .*");
            assertThat(call(node, in).exitCode()).isZero();
            assertThat(call(node, in, in).err()).contains("0x03");
        }
        try (OutboardProcess node =
                OutboardProcess.node(
                        "--config",
                        file.toString(),
                        "--offer",
                        "empty,fft",
                        "--max-regions",
                        "2")) {
            node.awaitLine("ready at .*, 2 routines, .*");
            assertThat(call(node, in, in).exitCode()).isZero();
        }
    }

    private static Execution call(OutboardProcess node, Path... files) {
        List<String> words =
                new ArrayList<>(List.of("naa", "call", node.address(), "--function", "3"));
        for (Path file : files) {
            words.addAll(List.of("--in", file.toString()));
        }
        return Execution.ofOutboard(words.toArray(String[]::new));
    }

    @Test
    void saysWhatIsWrongWithTheFile() throws Exception {
        Path file = write("prot: 1\nlimits: {workers: 0}\n");

        Execution serve = Execution.ofOutboard("naa", "serve", "--config", file.toString());
        assertThat(serve.exitCode()).isEqualTo(1);
        assertThat(serve.err())
                .isEqualTo(
                        "outboard: %1$s:1:1: unknown key 'prot', did you mean 'port'? (1 more: 'outboard node check %1$s' lists them)%n"
                                .formatted(file));

        Execution check = Execution.ofOutboard("node", "check", file.toString());
        assertThat(check.exitCode()).isEqualTo(1);
        assertThat(check.err()).isEmpty();
        assertThat(check.out().lines())
                .containsExactly(
                        file + ":1:1: unknown key 'prot', did you mean 'port'?",
                        file + ":2:19: 'limits.workers': 0 is out of range; valid: 1 or more");
    }

    @Test
    void checksAFile() throws Exception {
        jar("old.jar", OLD);
        Path file = write("bind: auto\njars: [old.jar]\nroutines: {edges: , answer: }\n");

        Execution right = Execution.ofOutboard("node", "check", file.toString());
        assertThat(right.exitCode()).as(right.toString()).isZero();
        assertThat(right.out())
                .isEqualTo("%s: nothing wrong, 2 routines at auto port 12345%n".formatted(file));

        Execution missing = Execution.ofOutboard("node", "check", file + ".none");
        assertThat(missing.exitCode()).isEqualTo(1);
        assertThat(missing.err()).contains("no such file or directory: " + file + ".none");
        assertThat(Execution.ofOutboard("node", "check").exitCode()).isEqualTo(2);
        assertThat(Execution.ofOutboard("node").out()).contains("check").contains("SIGHUP");
    }

    @Test
    void saysWhatIsWrongWithAnOption() {
        assertThat(Execution.ofOutboard("naa", "serve", "--target", "egdes=afu").err())
                .contains("--target: there is no routine 'egdes', did you mean 'edges'?");
        assertThat(Execution.ofOutboard("naa", "serve", "--target", "fft=afu").err())
                .contains("--target: routine 'fft' on target 'afu'; valid: cpu");
        assertThat(Execution.ofOutboard("naa", "serve", "--target-calls", "gpu=1").err())
                .contains("--target-calls: target 'gpu'; valid: cpu, afu, dpa");
        Execution port = Execution.ofOutboard("naa", "serve", "--port", "70000");
        assertThat(port.exitCode()).isEqualTo(2);
        assertThat(port.err()).contains("--port").contains("70000 is out of range");
    }
}
