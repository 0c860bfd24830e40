package dev.outboard.console.afu;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/// `outboard afu`: only its subcommands do something.
@Command(
        name = "afu",
        description = {
            "Build and run an accelerator function (AFU) behind a CCI-P port, cycle by cycle.",
            "The guide docs/guide/afu.md begins with nothing and ends with an AFU of your own."
        },
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            BuildCommand.class,
            RunCommand.class,
            TraceCommand.class,
            LitmusCommand.class
        })
public final class AfuCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
