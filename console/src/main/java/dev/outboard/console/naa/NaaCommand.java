package dev.outboard.console.naa;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/// `outboard naa`: only its subcommands do something.
@Command(
        name = "naa",
        description = "Serve a network-attached accelerator (NAA), or call one.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {ServeCommand.class, CallCommand.class, RoutinesCommand.class})
public final class NaaCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
