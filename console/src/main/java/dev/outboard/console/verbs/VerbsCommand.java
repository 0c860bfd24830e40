package dev.outboard.console.verbs;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/// `outboard verbs`: only its subcommands do something.
@Command(
        name = "verbs",
        description = {
            "Try an RDMA network with the usual small tools.",
            "Each tool is called like its original of rdma-core or perftest and can talk to it; two"
                    + " Outboards talk as well. The side that is given the other's address is the"
                    + " client: start the server first."
        },
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            RcPingPongCommand.class,
            SrqPingPongCommand.class,
            UdPingPongCommand.class,
            LatencyCommand.Send.class,
            LatencyCommand.Write.class,
            LatencyCommand.Read.class,
            LatencyCommand.Atomic.class,
            BandwidthCommand.Send.class,
            BandwidthCommand.Write.class,
            BandwidthCommand.Read.class,
            BandwidthCommand.Atomic.class,
            RpingCommand.class,
            UcmatoseCommand.class,
            UdaddyCommand.class,
            RdmaServerCommand.class,
            RdmaClientCommand.class
        })
public final class VerbsCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
