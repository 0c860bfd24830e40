package dev.outboard.console.naa;

import dev.outboard.naa.server.RoutineSet;
import dev.outboard.node.offload.IsolatedJar;
import dev.outboard.terminal.ByteSize;
import dev.outboard.terminal.CommandException;
import java.io.UncheckedIOException;
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
            names = "--isolated",
            paramLabel = "JAR",
            description =
                    "Add them in processes of their own: what one does there, crash or never end,"
                            + " costs its caller a code, and nobody else anything. May be given"
                            + " several times.")
    private List<Path> isolated = new ArrayList<>();

    @Option(
            names = "--isolated-memory",
            paramLabel = "SIZE",
            description =
                    "How much heap such a process may have, and how much other memory, default"
                            + " 256MiB.")
    private ByteSize isolatedMemory = new ByteSize(256L << 20);

    @Option(
            names = "--no-builtins",
            description =
                    "Leave out the routines that come with Outboard: the function codes are all"
                            + " yours. Needs --routines or --isolated.")
    private boolean noBuiltins;

    /// What is installed, unless it shall be left out, and what the JARs add.
    ///
    /// @throws CommandException if a JAR cannot be used or a function code is taken
    RoutineSet load() {
        if (noBuiltins && jars.isEmpty() && isolated.isEmpty()) {
            throw new CommandException(
                    "--no-builtins leaves no routine; add yours with --routines JAR");
        }
        try {
            RoutineSet added = RoutineSet.of();
            for (Path jar : jars) {
                added = added.withJar(jar);
            }
            for (Path jar : isolated) {
                added = added.with(IsolatedJar.load(jar, isolatedMemory.bytes()));
            }
            return noBuiltins ? added : withBuiltins(added);
        } catch (IllegalArgumentException | UncheckedIOException e) {
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
