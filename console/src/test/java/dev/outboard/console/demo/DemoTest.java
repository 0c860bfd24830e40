package dev.outboard.console.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThatCode;

import dev.outboard.console.BesideOthers;
import dev.outboard.console.Execution;
import dev.outboard.console.OutboardProcess;
import dev.outboard.console.TracedCall;
import dev.outboard.dpa.cc.DeviceCompiler;
import dev.outboard.node.routine.EdgeDetection;
import dev.outboard.testkit.TraceFile;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `outboard demo` as the user runs it: processes of their own.
@BesideOthers
class DemoTest {
    /// Only what hangs takes so long.
    private static final Duration LIMIT = Duration.ofMinutes(5);

    /// What is joined with a call between the NIC of the node that has received it and the one that
    /// sends the answer, by target.
    private static final List<List<String>> COMPUTATIONS =
            List.of(
                    onNode("node: edges"),
                    onNode("node: edges", "FPGA: call"),
                    onNode("node: edges", "DPA: detect"),
                    List.of(),
                    List.of("FPGA: call"));

    @TempDir private Path directory;

    private static List<String> onNode(String... computation) {
        List<String> steps = new ArrayList<>(List.of("node: function 13", "node: compute"));
        steps.addAll(List.of(computation));
        steps.add("node: WRITEs of the answer");
        return steps;
    }

    @Test
    void offloadsAPaintedPicture() throws IOException {
        Execution run = demo("--size", "640x480", "--stats");

        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(run.out())
                .contains(
                        "address and route",
                        "connect ",
                        "region setup",
                        "whole setup",
                        "send ",
                        "compute")
                .contains(
                        "receive ",
                        "whole RPC",
                        "again, warm",
                        "all 300 KiB from the node equal those computed here")
                .contains(directory.resolve("outboard-demo/input.png").toString())
                .contains(directory.resolve("outboard-demo/edges.png").toString())
                .contains("node, all connections", "sent.packets");
        assertThatEdgesBelongToInput(640, 480);
    }

    @Test
    void offloadsThePictureOfTheUser() throws IOException {
        MemorySegment rgb = Arena.ofAuto().allocate(3L * 61 * 47);
        Landscape.paint(61, 47, rgb, _ -> {});
        Path photo = directory.resolve("photo.png");
        ImageFile.write(photo, 61, 47, 3, rgb);

        Execution run = demo("--image", photo.toString());

        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(run.out()).contains("61x47 pixels, read from " + photo);
        assertThatEdgesBelongToInput(61, 47);
    }

    @Test
    void succeedsWhenOnePacketInTwentyIsLost() throws IOException {
        Execution run = demo("--size", "640x480", "--fault", "loss=5%,seed=1");

        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThatEdgesBelongToInput(640, 480);
    }

    /// With losses: what is lost on the way is repeated, whoever computes.
    @Test
    void offloadsToEachTarget() throws IOException {
        Execution run = demo("--size", "640x480", "--on", "all", "--fault", "loss=5%,seed=1");

        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(run.out().lines().filter(line -> line.startsWith("result")))
                .hasSize(5)
                .allMatch(line -> line.endsWith("equal those computed here"));
        List<String> table =
                run.out().lines().dropWhile(line -> !line.startsWith("TARGET")).limit(6).toList();
        assertThat(table)
                .extracting(line -> line.split(" +")[0])
                .containsExactly("TARGET", "cpu", "afu", "dpa", "dpa-handler", "chain");
        assertThat(table.get(2)).as("cycles of pClk").matches("afu .* [0-9,]{4,} +- .*");
        assertThat(table.get(4)).as("cycles of the DPA").matches("dpa-handler .* - +[0-9,]{4,} .*");
        assertThat(table.get(5)).as("cycles of both").matches("chain .* [0-9,]{4,} +[0-9,]{4,} .*");
        assertThatEdgesBelongToInput(640, 480);
    }

    @Test
    void findsEdgesInJavaWithoutVerilatorAndSaysSo() throws IOException {
        List<String> words = new ArrayList<>(OutboardProcess.command());
        words.addAll(List.of("demo", "--size", "64x48", "--on", "afu"));
        ProcessBuilder program = new ProcessBuilder(words).directory(directory.toFile());
        program.environment().put("VERILATOR", "none-of-that-name");
        try (OutboardProcess demo = OutboardProcess.ofProgram(program)) {
            Execution run = demo.awaitEnd();

            assertThat(run.exitCode()).as(run.toString()).isZero();
            assertThat(run.out())
                    .containsPattern(
                            "(?m)^node +edges on target afu: the function in Java"
                                    + " \\(VERILATOR=none-of-that-name names no command");
        }
        assertThatEdgesBelongToInput(64, 48);
    }

    /// Host, node, DPA and FPGA, and the arrows that join a call.
    @Test
    void tracesACallThroughTheChain() throws IOException {
        Path file = directory.resolve("demo.pftrace");
        Execution run = demo("--size", "320x240", "--on", "chain", "--trace", file.toString());

        assertThat(run.exitCode()).as(run.toString()).isZero();
        TraceFile trace = TraceFile.read(Files.readAllBytes(file));
        assertThat(trace.slices("RPC")).hasSize(2);
        assertThat(trace.slices("function of .*"))
                .hasSize(2)
                .allMatch(call -> call.name().matches("call: \\d+ cycles"));
        assertThat(trace.slices("forward.*")).isNotEmpty();
        assertThat(trace.joined()).hasSize(2);
        assertThat(trace.joined().values())
                .allSatisfy(call ->
                        assertThat(call)
                                .extracting(slice -> slice.track().group())
                                .anyMatch(group -> group.startsWith("client"))
                                .anyMatch(group -> group.startsWith("FPGA")));
    }

    /// From the host to what computes and back, in this order.
    @Test
    void tracesTheWayToEachTarget() throws IOException {
        Path file = directory.resolve("demo.pftrace");
        Execution run = demo("--size", "160x120", "--on", "all", "--trace", file.toString());

        assertThat(run.exitCode()).as(run.toString()).isZero();
        TraceFile trace = TraceFile.read(Files.readAllBytes(file));
        List<TracedCall> calls = TracedCall.in(trace);
        assertThat(calls).hasSize(10);
        for (int i = 0; i < calls.size(); i++) {
            List<String> way = new ArrayList<>();
            way.addAll(
                    List.of(
                            "client: function 13",
                            "client: WRITE inputs",
                            "NIC: sent",
                            "NIC: received"));
            way.addAll(COMPUTATIONS.get(i / 2));
            way.addAll(
                    List.of("NIC: sent", "NIC: received", "client: WRITEs of the answer arrive"));
            assertThat(calls.get(i).words()).isEqualTo(way);
        }
        assertThat(trace.slices("detect .*|kernel thread.*")).as("threads of the DPA").isNotEmpty();
        TracedCall handled = calls.get(7);
        long received = handled.steps().get(3).begin();
        long sent = handled.steps().get(4).begin();
        assertThat(trace.slices("compute .*"))
                .as("the handler, between call and answer")
                .anyMatch(slice -> slice.begin() <= sent && slice.ended() >= received);
        assertThat(trace.slices("(sent|received) by queue pair 0x.*"))
                .extracting(TraceFile.Slice::name)
                .anyMatch(name -> name.matches("WRITE_FIRST, PSN [0-9a-f]{6}, 4096 bytes"))
                .anyMatch(name ->
                        name.matches("WRITE_MIDDLE ×\\d+, PSN [0-9a-f]{6}–[0-9a-f]{6}, \\d+ bytes"))
                .anyMatch(name -> name.matches("ACKNOWLEDGE, PSN [0-9a-f]{6}, 0 bytes"));
        assertThat(trace.slices("sent by queue pair 0x000001")).as("connecting").isNotEmpty();
    }

    @Test
    void tracesPacketsThatAreSentAgain() throws IOException {
        Path file = directory.resolve("demo.pftrace");
        Execution run =
                demo("--size", "640x480", "--fault", "loss=5%,seed=1", "--trace", file.toString());

        assertThat(run.exitCode()).as(run.toString()).isZero();
        TraceFile trace = TraceFile.read(Files.readAllBytes(file));
        assertThat(trace.slices("sent by queue pair 0x.*"))
                .anyMatch(slice -> slice.name().matches("WRITE_[A-Z_]+ again(, PSN| ×).*"));
        assertThat(TracedCall.in(trace))
                .hasSize(2)
                .allSatisfy(call -> assertThat(call.words()).contains("node: compute"));
    }

    @Test
    void tracesWhatWaitsAndComputesInTheNode() throws IOException {
        Path file = directory.resolve("demo.pftrace");
        Execution run = demo("--size", "320x240", "--trace", file.toString());

        assertThat(run.exitCode()).as(run.toString()).isZero();
        TraceFile trace = TraceFile.read(Files.readAllBytes(file));
        assertThat(trace.slices("steps"))
                .extracting(TraceFile.Slice::name)
                .contains("compute", "WRITEs of the answer");
        assertThat(trace.slices("routines")).hasSize(2);
        assertThat(trace.joined().values())
                .hasSize(2)
                .allSatisfy(call ->
                        assertThat(call)
                                .extracting(slice -> slice.track().group())
                                .anyMatch(group -> group.startsWith("client"))
                                .anyMatch(group -> group.startsWith("node")));
    }

    @Test
    void theSameSeedGivesTheSameTrace() throws IOException {
        Path trace = directory.resolve("chain.pftrace");
        String[] words = {
            "--size", "160x120", "--on", "chain", "--seed", "7", "--trace", trace.toString()
        };
        Execution run = demo(words);
        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThatEdgesBelongToInput(160, 120);
        byte[] first = Files.readAllBytes(trace);
        Execution again = demo(words);
        assertThat(again.exitCode()).as(again.toString()).isZero();
        assertThat(Files.readAllBytes(trace)).isEqualTo(first);
        assertThat(demo("--on", "afu", "--seed", "7"))
                .isEqualTo(
                        failure(
                                1,
                                "--seed goes with --on chain, not --on afu: everything else runs by the wall clock"));
    }

    @Test
    void saysWhichTargetsThereAre() {
        assertThat(Execution.ofOutboard("demo", "--on", "gpu", "--out", directory.toString()))
                .isEqualTo(
                        failure(
                                1,
                                "--on: target 'gpu'; valid: cpu, afu, dpa, dpa-handler, chain, all"));
    }

    @Test
    void saysInOneLineThatTheNodeWasKilled() {
        try (OutboardProcess demo = slowDemo()) {
            ProcessHandle node = nodeInTheMiddleOfATransfer(demo);

            node.destroyForcibly();

            Execution run = demo.awaitEnd();
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.err().lines().filter(line -> line.startsWith("outboard")))
                    .containsExactly(
                            "outboard: the node, process %d, was killed by signal 9 before the demo was over; run it again"
                                    .formatted(node.pid()));
            assertThat(demo.handle().descendants()).isEmpty();
        }
    }

    @Test
    void leavesNothingRunningWhenItIsEnded() {
        try (OutboardProcess demo = slowDemo()) {
            ProcessHandle node = nodeInTheMiddleOfATransfer(demo);

            demo.handle().destroy();
            demo.awaitEnd();

            assertThat(node.onExit()).succeedsWithin(LIMIT);
        }
    }

    @Test
    void leavesNothingRunningWhenItIsKilled() {
        try (OutboardProcess demo = slowDemo()) {
            ProcessHandle node = nodeInTheMiddleOfATransfer(demo);

            demo.handle().destroyForcibly();
            demo.awaitEnd();

            assertThat(node.onExit()).succeedsWithin(LIMIT);
        }
    }

    @Test
    void saysWhatIsWrongWithItsWords() {
        String file = directory.resolve("nothing.png").toString();
        assertThat(Execution.ofOutboard("demo", "--image", file, "--out", directory.toString()))
                .isEqualTo(failure(1, "no such file or directory: " + file));
        assertThat(Execution.ofOutboard("demo", "--fault", "x", "--out", directory.toString()))
                .isEqualTo(
                        failure(
                                1,
                                "faults: 'x': expected key=value, where the key is one of [loss,"
                                        + " duplicate, reorder, corrupt, delay, seed]"));
        assertThat(Execution.ofOutboard("demo", "--size", "big"))
                .isEqualTo(
                        failure(
                                2,
                                "invalid value for option '--size': 'big' is not a size; write WxH,"
                                        + " up to 65536 and 512 megapixels (see 'outboard demo"
                                        + " --help')"));
    }

    private static Execution failure(int exitCode, String line) {
        return new Execution(exitCode, "", "outboard: " + line + System.lineSeparator());
    }

    @Test
    void offloadsToKernelsInC() throws IOException {
        assumeThatCode(DeviceCompiler::onThisMachine).doesNotThrowAnyException();
        Execution run = demo("--size", "320x240", "--on", "all", "--kernel", "c");

        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(run.out().lines().filter(line -> line.endsWith(", its kernel in C")))
                .hasSize(3)
                .allMatch(line -> line.matches("node .* target (dpa|dpa-handler|chain), .*"));
        assertThat(run.out().lines().filter(line -> line.startsWith("result")))
                .hasSize(5)
                .allMatch(line -> line.endsWith("equal those computed here"));
    }

    @Test
    void kernelsInCNeedAClangAndAnAccelerator() throws IOException {
        assertThat(demo("--on", "afu", "--kernel", "c").err())
                .startsWith(
                        "outboard: --kernel c goes with --on dpa, dpa-handler, chain or all, not --on afu: ");
        List<String> words = new ArrayList<>(OutboardProcess.command());
        words.addAll(List.of("demo", "--size", "64x48", "--on", "dpa", "--kernel", "c"));
        ProcessBuilder program = new ProcessBuilder(words).directory(directory.toFile());
        program.environment().put("PATH", directory.toString());
        try (OutboardProcess demo = OutboardProcess.ofProgram(program)) {
            assertThat(demo.awaitEnd().err())
                    .contains("the node did not start: ")
                    .contains("kernels in C: 'clang' is not on the PATH");
        }
    }

    private OutboardProcess slowDemo() {
        return OutboardProcess.startIn(
                directory, "demo", "--size", "1500x1000", "--fault", "delay=50ms");
    }

    private static ProcessHandle nodeInTheMiddleOfATransfer(OutboardProcess demo) {
        String pid = demo.awaitLine("node +process (\\d+) at .*").group(1);
        demo.awaitErrorLine("transfer: .*");
        return ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
    }

    private Execution demo(String... options) {
        List<String> words = new ArrayList<>(List.of("demo"));
        words.addAll(List.of(options));
        try (OutboardProcess demo =
                OutboardProcess.startIn(directory, words.toArray(String[]::new))) {
            return demo.awaitEnd();
        }
    }

    private void assertThatEdgesBelongToInput(int width, int height) throws IOException {
        Path pictures = directory.resolve("outboard-demo");
        BufferedImage input = ImageFile.read(pictures.resolve("input.png"));
        BufferedImage output = ImageFile.read(pictures.resolve("edges.png"));
        assertThat(input.getWidth()).isEqualTo(width);
        assertThat(input.getHeight()).isEqualTo(height);
        MemorySegment rgb = Arena.ofAuto().allocate(3L * width * height);
        MemorySegment edges = Arena.ofAuto().allocate((long) width * height);
        ImageFile.copyPixels(input, rgb);
        EdgeDetection.detect(width, height, 3, rgb, edges);
        byte[] samples = new byte[width * height];
        output.getRaster().getDataElements(0, 0, width, height, samples);
        assertThat(MemorySegment.ofArray(samples).mismatch(edges)).isEqualTo(-1);
    }
}
