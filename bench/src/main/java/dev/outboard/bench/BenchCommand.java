package dev.outboard.bench;

import dev.outboard.bench.ccip.CcipCommand;
import dev.outboard.bench.doca.DocaCommand;
import dev.outboard.bench.dpa.DpaCommand;
import dev.outboard.bench.fabric.ClientsCommand;
import dev.outboard.bench.fabric.FabricCommand;
import dev.outboard.bench.node.NodeCommand;
import dev.outboard.bench.soak.NodeSoakCommand;
import dev.outboard.bench.soak.SoakCommand;
import dev.outboard.bench.soak.TaskSoakCommand;
import dev.outboard.terminal.Subcommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/// `outboard bench`: only its subcommands do something.
@Command(
        name = "bench",
        description = "Measure Outboard side by side with its peers.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            RpcCommand.class,
            FabricCommand.class,
            ClientsCommand.class,
            DocaCommand.class,
            CcipCommand.class,
            DpaCommand.class,
            NodeCommand.class,
            SoakCommand.class,
            NodeSoakCommand.class,
            TaskSoakCommand.class
        })
public final class BenchCommand implements Subcommand {
    @Spec private CommandSpec spec;

    /// For [java.util.ServiceLoader].
    public BenchCommand() {}

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
