package dev.outboard.bench.soak;

import dev.outboard.bench.node.TargetNode;
import dev.outboard.node.offload.Target;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `outboard bench soak-node`: many clients of nodes on all targets for a long time, over a network
/// that loses packets, until the time is over or somebody ends it.
@Command(
        name = "soak-node",
        sortOptions = false,
        description = {
            "Have edges found on all targets of nodes by many clients for a long time.",
            "In all sizes, over a loopback that loses packets. Some clients close their device in the",
            "middle of a call. Every byte that comes back is checked. Prints a line of figures per",
            "interval; ends with exit code 1 if a byte was wrong or the memory of this process grew."
        },
        footer = {
            "",
            "HEAP is what lives in the Java heap after a collection, NATIVE what is resident beside it."
        })
public final class NodeSoakCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Mixin private ClientSoak soak;

    /// For picocli.
    public NodeSoakCommand() {}

    @Override
    public Integer call() throws InterruptedException {
        if (!soak.isValid()) {
            throw new ParameterException(
                    spec.commandLine(), "valid: at least 1 client, a loss of 0 to 50");
        }
        Map<Target, TargetNode> nodes = new EnumMap<>(Target.class);
        try {
            for (Target target : Target.values()) {
                nodes.put(
                        target,
                        new TargetNode(soak.uri(soak.seed() + target.ordinal()), "edges", target));
            }
            List<TargetNode> all = List.copyOf(nodes.values());
            soak.run(seed -> new EdgeClient(all, soak::uri, seed, soak.tally)::run);
        } finally {
            nodes.values().forEach(TargetNode::close);
        }
        return soak.verdict() ? ExitCode.OK : ExitCode.SOFTWARE;
    }
}
