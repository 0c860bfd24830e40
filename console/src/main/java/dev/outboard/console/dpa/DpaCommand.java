package dev.outboard.console.dpa;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/// `outboard dpa`: only its subcommands do something.
@Command(
        name = "dpa",
        description = {
            "Explore the memory of a data-path accelerator (DPA), run programs on it, and find missing"
                    + " fences.",
            "docs/guide/dpa-litmus.md is an introduction, and docs/protocol/dpa-memory-model.md"
                    + " explains how that memory behaves."
        },
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            LitmusCommand.class,
            CheckCommand.class,
            RunCommand.class,
            CoreCommand.class,
            DevicesCommand.class,
            PsCommand.class,
            TraceCommand.class
        })
public final class DpaCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
