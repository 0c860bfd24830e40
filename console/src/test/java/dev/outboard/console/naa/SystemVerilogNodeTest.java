package dev.outboard.console.naa;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.outboard.ccip.rtl.RtlBuild;
import dev.outboard.ccip.rtl.RtlException;
import dev.outboard.console.Execution;
import dev.outboard.console.OutboardProcess;
import dev.outboard.naa.RegionSpec;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Repository;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A node whose file has a routine in SystemVerilog.
class SystemVerilogNodeTest {
    private static final int EMPTY = 3;
    private static final int ADDS = 42;

    @TempDir private Path directory;
    private Path file;
    private Path source;
    private final AtomicInteger calls = new AtomicInteger();
    private volatile boolean enough;

    @BeforeEach
    void write() throws IOException {
        Path from = Repository.root().resolve("node/src/test/resources/dev/outboard/node/offload");
        source = Files.copy(from.resolve("adds.sv"), directory.resolve("adds.sv"));
        Files.copy(from.resolve("adds.json"), directory.resolve("adds.json"));
        file =
                Files.writeString(
                        directory.resolve("node.yaml"),
                        """
                        bind: auto
                        port: 0
                        routines:
                          empty:
                          adds:
                            systemverilog: [adds.json, adds.sv]
                            code: 42
                            top: adder
                        """);
    }

    private static void assumeVerilator() {
        try {
            RtlBuild.onThisMachine();
        } catch (RtlException e) {
            abort("needs Verilator and a C++ compiler: " + e.getMessage());
        }
    }

    private void edit(String old, String text) throws IOException {
        String before = Files.readString(source);
        assertThat(before).contains(old);
        Files.writeString(source, before.replace(old, text));
    }

    private static NaaClient client(OutboardProcess node, int function, MemorySegment region) {
        String address = node.address();
        int colon = address.lastIndexOf(':');
        return NaaClient.builder(
                        address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)))
                .functionCode(function)
                .region(RegionSpec.inputOutput(region))
                .open();
    }

    private static void hangUp(OutboardProcess node) throws Exception {
        Process kill = new ProcessBuilder("kill", "-HUP", "" + node.handle().pid()).start();
        assertThat(kill.waitFor()).isZero();
    }

    private void callAllTheTime(NaaClient client) {
        while (!enough) {
            assertThat(client.invoke().isSuccess()).isTrue();
            calls.incrementAndGet();
        }
    }

    private static byte added(NaaClient client, MemorySegment bytes) {
        bytes.fill((byte) 0);
        assertThat(client.invoke().isSuccess()).isTrue();
        byte first = bytes.get(JAVA_BYTE, 0);
        assertThat(bytes.toArray(JAVA_BYTE)).containsOnly(first);
        return first;
    }

    @Test
    void aHangupCompilesAnewAndNoCallOfOthersIsLost() throws Exception {
        assumeVerilator();
        try (Arena arena = Arena.ofShared();
                OutboardProcess node = OutboardProcess.node("--config", file.toString())) {
            MemorySegment bytes = arena.allocate(100);
            try (NaaClient adds = client(node, ADDS, bytes);
                    NaaClient other = client(node, EMPTY, arena.allocate(8))) {
                CompletableFuture<Void> others =
                        CompletableFuture.runAsync(() -> callAllTheTime(other))
                                .whenComplete((_, _) -> enough = true);
                assertThat(added(adds, bytes)).isEqualTo((byte) 1);

                edit("ADDEND = 8'd1", "ADDEND /* %s */ = 8'd5".formatted(UUID.randomUUID()));
                hangUp(node);
                node.awaitLine(".*adds.sv: Verilator reads adder");
                int before = calls.get();
                assertThat(added(adds, bytes)).isEqualTo((byte) 1);
                node.awaitLine(".*node.yaml was read again: 2 routines");
                assertThat(calls.get()).isGreaterThan(before);
                assertThat(added(adds, bytes)).isEqualTo((byte) 5);

                edit("endmodule", "end");
                hangUp(node);
                node.awaitLine(".*node.yaml was not taken, the node goes on as it was: .*");
                node.awaitLine(".*" + source + ":\\d+:.*");
                assertThat(added(adds, bytes)).isEqualTo((byte) 5);
                int after = calls.get();
                Eventually.until(() -> calls.get() > after || enough);
                enough = true;
                others.join();
            }
        }
    }

    @Test
    void whatDoesNotCompileEndsTheStart() throws IOException {
        assumeVerilator();
        edit("state <= NEXT;", "stat <= NEXT;");

        Execution serve = Execution.ofOutboard("naa", "serve", "--config", file.toString());

        assertThat(serve.exitCode()).isEqualTo(1);
        assertThat(serve.err())
                .startsWith("outboard: ")
                .containsPattern(source + ":\\d+: .*'stat'")
                .doesNotContain("unexpected failure");
        assertThat(serve.out()).doesNotContain("ready at");
        Execution check = Execution.ofOutboard("node", "check", file.toString());
        assertThat(check.exitCode()).as(check.toString()).isZero();
        assertThat(check.out()).contains("nothing wrong, 2 routines at auto port 0");
    }

    @Test
    void saysThatVerilatorIsMissing() {
        List<String> words = new ArrayList<>(OutboardProcess.command());
        words.addAll(List.of("naa", "serve", "--config", file.toString()));
        ProcessBuilder program = new ProcessBuilder(words);
        program.environment().put("VERILATOR", "none");
        try (OutboardProcess process = OutboardProcess.ofProgram(program)) {
            Execution serve = process.awaitEnd();

            assertThat(serve.exitCode()).isEqualTo(1);
            assertThat(serve.err())
                    .startsWith("outboard: VERILATOR=none names no command. ")
                    .contains("apt-get install verilator");
        }
    }

    @Test
    void listsItAmongTheRoutines() {
        String sources = "%s,%s".formatted(directory.resolve("adds.json"), source);
        Execution list =
                Execution.ofOutboard(
                        "naa",
                        "routines",
                        "--systemverilog",
                        "adds=" + sources,
                        "--code",
                        "adds=42");
        assertThat(list.exitCode()).as(list.toString()).isZero();
        assertThat(list.out()).containsPattern("42 +adds +function of an FPGA in adds.sv");
    }
}
