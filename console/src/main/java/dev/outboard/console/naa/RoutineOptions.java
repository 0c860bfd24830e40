package dev.outboard.console.naa;

import dev.outboard.console.terminal.ConsoleException;
import dev.outboard.naa.server.RoutineSet;
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

    /// What is installed and what the JARs add.
    ///
    /// @throws ConsoleException if a JAR cannot be used or a function code is taken
    RoutineSet load() {
        try {
            RoutineSet all = RoutineSet.installed();
            for (Path jar : jars) {
                all = all.withJar(jar);
            }
            return all;
        } catch (IllegalArgumentException e) {
            throw new ConsoleException(e);
        }
    }
}
