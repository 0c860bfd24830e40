package dev.outboard.console.node;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/// `outboard node`: only its subcommands do something.
@Command(
        name = "node",
        description = {
            "Describe an accelerator node in a file.",
            "'outboard naa serve --config FILE' runs it, and reads it again when it gets a SIGHUP."
        },
        synopsisSubcommandLabel = "COMMAND",
        subcommands = CheckCommand.class,
        footer = {
            "",
            "docs/node-yaml.md lists all keys of the file, docs/guide/node.md shows one."
        })
public final class NodeCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
