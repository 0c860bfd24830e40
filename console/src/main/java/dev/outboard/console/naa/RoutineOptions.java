package dev.outboard.console.naa;

import dev.outboard.naa.server.RoutineSet;
import dev.outboard.terminal.CommandException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/// The options of the commands that know routines.
final class RoutineOptions {
    @Option(
            names = "--routines",
            paramLabel = "JAR",
            description = "Add the routines of the providers in JAR; may be given several times.")
    private List<Path> jars = new ArrayList<>();

    @Option(
            names = "--no-builtins",
            description =
                    "Leave out the routines that come with Outboard: the function codes are all"
                            + " yours. Needs --routines.")
    private boolean noBuiltins;

    /// What is installed, unless it shall be left out, and what the JARs add.
    ///
    /// @throws CommandException if a JAR cannot be used or a function code is taken
    RoutineSet load() {
        if (noBuiltins && jars.isEmpty()) {
            throw new CommandException(
                    "--no-builtins leaves no routine; add yours with --routines JAR");
        }
        try {
            RoutineSet added = RoutineSet.of();
            for (Path jar : jars) {
                added = added.withJar(jar);
            }
            return noBuiltins ? added : withBuiltins(added);
        } catch (IllegalArgumentException e) {
            throw new CommandException(e);
        }
    }

    private static RoutineSet withBuiltins(RoutineSet added) {
        RoutineSet builtins = RoutineSet.installed();
        try {
            return builtins.with(added);
        } catch (IllegalArgumentException e) {
            throw new CommandException(e.getMessage() + "; --no-builtins leaves out the first", e);
        }
    }
}
