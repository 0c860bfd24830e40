package dev.outboard.console.naa;

import dev.outboard.console.node.KeyOptions;
import dev.outboard.console.node.NodePlan;
import dev.outboard.naa.server.RoutineArgument;
import dev.outboard.naa.server.RoutineSet;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.terminal.Table;
import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/// `outboard naa routines`: what 'naa serve' computes, and what regions to give it.
@Command(
        name = "routines",
        modelTransformer = KeyOptions.Routines.class,
        description = {
            "List the routines of 'naa serve' with the regions they take, in order.",
            "All numbers in a region are little-endian."
        })
final class RoutinesCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        Table table = new Table("rll").row("CODE", "ROUTINE", "WHAT IT DOES AND ITS REGIONS");
        RoutineSet routines = NodePlan.routines(spec.commandLine().getParseResult());
        routines.routines().forEach(routine -> addTo(table, routine));
        PrintWriter out = spec.commandLine().getOut();
        table.print(out, "");
        out.flush();
    }

    private static void addTo(Table table, RoutineSpec routine) {
        table.row(routine.functionCode(), routine.name(), routine.description());
        if (routine.arguments().isEmpty()) {
            table.row("", "", "  inout any number of regions");
        }
        for (RoutineArgument argument : routine.arguments()) {
            table.row(
                    "",
                    "",
                    "  %-5s %s: %s"
                            .formatted(argument.role(), argument.name(), argument.content()));
        }
    }
}
