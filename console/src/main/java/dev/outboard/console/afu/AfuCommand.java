package dev.outboard.console.afu;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/// `outboard afu`: only its subcommands do something.
@Command(
        name = "afu",
        description = "Work with accelerator functions (AFUs) behind a CCI-P port.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = LitmusCommand.class)
public final class AfuCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
