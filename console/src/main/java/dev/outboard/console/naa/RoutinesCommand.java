package dev.outboard.console.naa;

import dev.outboard.bench.report.Table;
import dev.outboard.node.routine.RoutineCatalog;
import dev.outboard.node.routine.RoutineInfo;
import dev.outboard.node.routine.RoutineInfo.Parameter;
import java.io.PrintWriter;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/// `outboard naa routines`: what 'naa serve' computes, and what regions to give it.
@Command(
        name = "routines",
        description = {
            "List the routines of 'naa serve' with the regions they take, in order.",
            "All numbers in a region are little-endian."
        })
final class RoutinesCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        Table table = new Table("rll").row("CODE", "ROUTINE", "WHAT IT DOES AND ITS REGIONS");
        RoutineCatalog.routines().forEach(info -> addTo(table, info));
        PrintWriter out = spec.commandLine().getOut();
        table.print(out, "");
        out.flush();
    }

    private static void addTo(Table table, RoutineInfo info) {
        table.row(info.functionCode(), info.name(), info.description());
        if (info.parameters().isEmpty()) {
            table.row("", "", "  inout any number of regions");
        }
        for (Parameter parameter : info.parameters()) {
            String role = parameter.role().name().toLowerCase(Locale.ROOT);
            String name = parameter.name();
            table.row("", "", "  %-5s %s: %s".formatted(role, name, parameter.content()));
        }
    }
}
