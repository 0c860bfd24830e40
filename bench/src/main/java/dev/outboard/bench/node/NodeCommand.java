package dev.outboard.bench.node;

import dev.outboard.bench.comparison.ComparisonCommand;
import dev.outboard.bench.comparison.Contender;
import dev.outboard.bench.comparison.Ours;
import dev.outboard.bench.comparison.Work;
import dev.outboard.bench.comparison.Work.Unit;
import dev.outboard.node.offload.Target;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;

/// `outboard bench node`: what a call costs on each target of a node.
@Command(
        name = "node",
        sortOptions = false,
        description =
                "Measure calls of a node in this process, over RoCEv2, on each of its targets: one of a"
                        + " function that does nothing, with 64 bytes there and back, on the"
                        + " processor and in a handler of a DPA that answers by itself; and edge"
                        + " detections, whose bytes are checked, on all of them.",
        footer = {"", "Works: node/empty, node/edges; or node, which is both."})
public final class NodeCommand extends ComparisonCommand {
    private static final int WIDTH = 640;
    private static final int HEIGHT = 480;

    /// For picocli.
    public NodeCommand() {}

    @Override
    protected List<Work> works() {
        return List.of(
                new Work(
                        "node/empty",
                        "call of a function that does nothing, 64 bytes there and back",
                        Unit.TIME,
                        contenders(
                                Stream.of(Target.DPA_HANDLER, Target.CPU),
                                target -> () -> new NodeCall(target))),
                new Work(
                        "node/edges",
                        "edge detection of %d x %d pixels".formatted(WIDTH, HEIGHT),
                        Unit.TIME,
                        contenders(
                                Stream.of(
                                        Target.CHAIN,
                                        Target.DPA_HANDLER,
                                        Target.DPA,
                                        Target.AFU,
                                        Target.CPU),
                                target -> () -> new NodeCall(target, WIDTH, HEIGHT))));
    }

    private interface Maker {
        Callable<Ours.Subject> of(Target target);
    }

    private static List<Contender> contenders(Stream<Target> targets, Maker maker) {
        return targets.<Contender>map(target -> Ours.kept(target.word(), maker.of(target)))
                .toList();
    }
}
