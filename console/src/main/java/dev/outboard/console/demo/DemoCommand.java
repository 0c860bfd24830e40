package dev.outboard.console.demo;

import dev.outboard.console.naa.CallTrace;
import dev.outboard.console.naa.Counters;
import dev.outboard.console.naa.DeviceOptions;
import dev.outboard.console.naa.RpcReport;
import dev.outboard.console.naa.TransferProgress;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Devices;
import dev.outboard.naa.RegionSpec;
import dev.outboard.naa.RpcResult;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.node.offload.KernelLanguage;
import dev.outboard.node.offload.Target;
import dev.outboard.node.routine.EdgeDetection;
import dev.outboard.node.routine.RoutineCatalog;
import dev.outboard.terminal.ByteSize;
import dev.outboard.terminal.CommandException;
import dev.outboard.terminal.Measure;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `outboard demo`: the whole way of one RPC with a result that can be looked at.
@Command(
        name = "demo",
        sortOptions = false,
        description = {
            "Offload the edge detection of a picture to an accelerator node in a second process,"
                    + " over RoCEv2 packets, and compare with the same computation done here.",
            "Writes the picture and its edges as PNG."
        },
        footer = {
            "",
            "Examples:",
            "  outboard demo --size 1024x768 --on all",
            "  outboard demo --break --fix"
        })
public final class DemoCommand implements Callable<Integer> {
    private static final String LOOPBACK = "127.0.0.1";
    private static final long PAGE_BYTES = 4096;
    private static final Duration DEATH_LIMIT = Duration.ofMillis(500);

    /// An RPC comes twice, so that the second one is warm.
    private static final int CALLS = 2;

    private final TargetTable table = new TargetTable();

    @Spec private CommandSpec spec;

    @Option(
            names = "--image",
            paramLabel = "FILE",
            description = "The picture to use, PNG or JPEG. Default: one that the demo paints.")
    private @Nullable Path image;

    @Option(
            names = "--size",
            paramLabel = "WxH",
            converter = ImageSize.Converter.class,
            defaultValue = "4032x3024",
            description = "The size of the painted picture, default 4032x3024.")
    private ImageSize size;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            defaultValue = "outboard-demo",
            description = "Where both pictures go, default ./outboard-demo.")
    private Path directory;

    @Option(
            names = "--on",
            paramLabel = "TARGET",
            defaultValue = "cpu",
            description =
                    "Where the node finds the edges: on its cpu; in a function of a simulated FPGA,"
                            + " afu; in a kernel of a simulated data-path accelerator, dpa; in a handler"
                            + " of it that answers by itself, dpa-handler; in a function of an FPGA that"
                            + " such a handler drives, chain; or on all of them, one after the other."
                            + " Default: cpu.")
    private String on = "cpu";

    @Option(
            names = "--kernel",
            paramLabel = "LANGUAGE",
            defaultValue = "java",
            description =
                    "What the programs of the data-path accelerator are written in, with --on dpa,"
                            + " dpa-handler, chain or all: java, or c, which takes clang and lld."
                            + " Default: java.")
    private KernelLanguage kernel = KernelLanguage.JAVA;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description =
                    "With --on chain: run all of it in this process and in one virtual time, which is"
                            + " a function of N; the trace is the same each time. With --break: what"
                            + " the weak memory does follows from it, default 30.")
    private @Nullable Long seed;

    @Mixin private CallTrace trace;

    @ArgGroup(exclusive = false)
    private @Nullable BrokenDemo broken;

    @Mixin private DeviceOptions options;

    @Override
    public Integer call() throws IOException {
        if (broken != null) {
            return broken.run(spec, directory, seed);
        }
        PrintWriter out = spec.commandLine().getOut();
        Files.createDirectories(directory);
        if (seed != null) {
            callSeeded(seed);
            return ExitCode.OK;
        }
        List<List<String>> nodeLines;
        try (Devices.Share share = options.openTowards(LOOPBACK);
                DemoNodes nodes = DemoNodes.start(targets(), nodeWords(), trace.isOn());
                Arena arena = Arena.ofShared()) {
            Device device = share.device();
            trace.watch(device);
            Picture picture = picture(arena);
            MemorySegment expected = computeHere(picture, arena);
            for (DemoNodes.Member member : nodes.members()) {
                introduce(member, device);
                MemorySegment edges = offload(member, device, picture, arena);
                if (table.size() == 1) {
                    write(picture, edges);
                }
                compare(expected, edges);
            }
            nodeLines = nodes.end();
            trace.write(nodes.traces());
        }
        if (options.stats()) {
            out.println();
            nodeLines.forEach(lines -> lines.forEach(out::println));
        }
        if (table.size() > 1) {
            out.println();
            table.print(out, nodeLines, CALLS);
        }
        out.flush();
        return ExitCode.OK;
    }

    private void callSeeded(long given) throws IOException {
        if (!on.equals(Target.CHAIN.word())) {
            throw new CommandException(
                    "--seed goes with --on chain, not --on %s: everything else runs by the wall clock"
                            .formatted(on));
        }
        try (Arena arena = Arena.ofShared()) {
            Picture picture = picture(arena);
            MemorySegment expected = computeHere(picture, arena);
            Path file = trace.isOn() ? trace.file() : directory.resolve("chain.pftrace");
            MemorySegment edges =
                    MemorySegment.ofArray(SeededDemo.run(given, kernel, picture, file, this::say));
            write(picture, edges);
            compare(expected, edges);
        }
    }

    private void introduce(DemoNodes.Member member, Device device) {
        NodeProcess node = member.node();
        say(
                "node",
                "process %d at %s:%d, edges on target %s%s"
                        .formatted(
                                node.pid(),
                                node.host(),
                                node.port(),
                                member.target().word(),
                                isInC(member.target()) ? ", its kernel in C" : ""));
        node.target().ifPresent(line -> say("node", line));
        say(
                "client",
                "process "
                        + ProcessHandle.current().pid()
                        + " at "
                        + device.address().getHostAddress());
    }

    private boolean isInC(Target target) {
        return kernel == KernelLanguage.C && target.hasDpaProgram();
    }

    private List<Target> targets() {
        try {
            List<Target> targets =
                    on.equals("all") ? List.of(Target.values()) : List.of(Target.of(on));
            if (kernel == KernelLanguage.C && targets.stream().noneMatch(this::isInC)) {
                throw new CommandException(
                        "--kernel c goes with --on dpa, dpa-handler, chain or all, not --on %s: it has no program of the DPA"
                                .formatted(on));
            }
            return targets;
        } catch (IllegalArgumentException e) {
            throw new CommandException("--on: " + e.getMessage() + ", all", e);
        }
    }

    private List<String> nodeWords() {
        List<String> words = new ArrayList<>(options.faultWords());
        words.add("--stats");
        words.addAll(List.of("--kernel", kernel.word()));
        return words;
    }

    private Picture picture(Arena arena) throws IOException {
        long start = System.nanoTime();
        Picture picture =
                image == null
                        ? Picture.paint(size, arena, spec.commandLine().getErr())
                        : Picture.read(image, arena);
        String origin = image == null ? "painted" : "read from " + image;
        String time = Measure.time(System.nanoTime() - start);
        say("picture", "%s pixels, %s in %s".formatted(picture.size(), origin, time));
        return picture;
    }

    private MemorySegment computeHere(Picture picture, Arena arena) {
        MemorySegment edges = arena.allocate(picture.size().pixels(), PAGE_BYTES);
        long start = System.nanoTime();
        EdgeDetection.detect(
                picture.size().width(),
                picture.size().height(),
                Picture.CHANNELS,
                picture.rgb(),
                edges);
        say(
                "here",
                "edges found in " + Measure.time(System.nanoTime() - start) + ", to compare with");
        return edges;
    }

    private MemorySegment offload(
            DemoNodes.Member member, Device device, Picture picture, Arena arena) {
        NodeProcess node = member.node();
        MemorySegment header = arena.allocate(EdgeDetection.HEADER_BYTES, PAGE_BYTES);
        EdgeDetection.writeHeader(
                header, picture.size().width(), picture.size().height(), Picture.CHANNELS);
        MemorySegment edges = arena.allocate(picture.size().pixels(), PAGE_BYTES);
        try (NaaClient client =
                NaaClient.builder(node.host(), node.port())
                        .device(device)
                        .functionCode(RoutineCatalog.EDGE_DETECTION)
                        .region(RegionSpec.input(header))
                        .region(RegionSpec.input(picture.rgb()))
                        .region(RegionSpec.output(edges))
                        .build()) {
            // Acknowledgements that stay away would tell that the node is dead, but later.
            node.whenEnded(client::close);
            call(member, client, device);
            return edges;
        } catch (RuntimeException e) {
            throw explain(node, e);
        }
    }

    private void call(DemoNodes.Member member, NaaClient client, Device device) {
        NodeProcess node = member.node();
        PrintWriter out = spec.commandLine().getOut();
        client.connect();
        client.registerRegions();
        client.runMrsp();
        trace.setUp(client);
        TransferProgress progress =
                new TransferProgress(client, device, spec.commandLine().getErr(), trace);
        RpcResult result = progress.invoke();
        TargetTable.Before before = table.before(node);
        long start = System.nanoTime();
        RpcResult again = client.invoke();
        trace.called(client, start, again);
        table.add(
                member.target(),
                node,
                before,
                again.totalNanos(),
                progress.sent() + again.totalBytesReceived());
        out.println();
        new RpcReport()
                .setup(client)
                .rpcs(progress.sent(), List.of(result))
                .again(progress.sent(), again)
                .print(out);
        out.println();
        if (options.stats()) {
            new Counters()
                    .add("device " + device.name(), device.counters())
                    .add("connection to " + node.host() + ":" + node.port(), client.counters())
                    .print(out);
            out.println();
        }
    }

    /// If the node is dead, that is the reason for every other failure.
    private static RuntimeException explain(NodeProcess node, RuntimeException failure) {
        return node.death(DEATH_LIMIT)
                .<RuntimeException>map(death ->
                        new CommandException(
                                "the node, process %d, %s before the demo was over; run it again"
                                        .formatted(node.pid(), death),
                                failure))
                .orElse(failure);
    }

    private void write(Picture picture, MemorySegment edges) throws IOException {
        Path input = directory.resolve("input.png");
        Path output = directory.resolve("edges.png");
        int width = picture.size().width();
        int height = picture.size().height();
        ImageFile.write(input, width, height, Picture.CHANNELS, picture.rgb());
        ImageFile.write(output, width, height, 1, edges);
        say("picture", input.toAbsolutePath().toString());
        say("edges", output.toAbsolutePath().toString());
    }

    private void compare(MemorySegment expected, MemorySegment edges) {
        long mismatch = expected.mismatch(edges);
        if (mismatch >= 0) {
            throw new CommandException(
                    "the node's result differs from the one computed here, first at byte "
                            + mismatch
                            + " of "
                            + expected.byteSize());
        }
        ByteSize size = new ByteSize(edges.byteSize());
        say("result", "all " + size + " from the node equal those computed here");
    }

    private void say(String what, String line) {
        PrintWriter out = spec.commandLine().getOut();
        out.printf("%-9s%s%n", what, line);
        out.flush();
    }
}
