package dev.outboard.console.trace;

import picocli.CommandLine.Command;

/// `outboard trace`: what can be done with files of traces.
@Command(
        name = "trace",
        description = "Work with traces that 'naa serve', 'naa call' and 'demo' write by --trace.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = MergeCommand.class)
public final class TraceCommand {}
