package dev.outboard.console.project;

import dev.outboard.terminal.CommandException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Pattern;
import javax.lang.model.SourceVersion;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `outboard new`: writes the project a user starts from.
@Command(
        name = "new",
        sortOptions = false,
        description = {
            "Write a project that makes a routine of your own for a node, with a test.",
            "It inverts bytes, until you have it do something else; its README.md says how to build"
                    + " it and how to have a node serve it."
        })
public final class NewCommand implements Runnable {
    /// What is a class name and, in lower case, the name of a routine.
    private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9]{0,63}");

    @Spec private CommandSpec spec;

    @Parameters(
            index = "0",
            paramLabel = "KIND",
            description =
                    "What computes: routine, Java on a processor of the node; afu, a function of a"
                            + " simulated FPGA; dpa, a kernel of a simulated data-path accelerator.")
    private Kind kind;

    @Parameters(
            index = "1",
            paramLabel = "NAME",
            description = "The name of the routine: a letter, then letters and digits.")
    private String name;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Where the project goes, a new directory; default NAME in lower case.")
    private @Nullable Path directory;

    @Override
    public void run() {
        if (!NAME.matcher(name).matches() || !SourceVersion.isName(name)) {
            throw new CommandException(
                    "name '%s'; valid: a letter, then letters and digits, 64 at most, and no word of Java's own"
                            .formatted(name));
        }
        String routine = name.toLowerCase(Locale.ROOT);
        Path to = directory == null ? Path.of(routine) : directory;
        if (Files.exists(to)) {
            throw new CommandException(
                    "%s exists; name another directory with --dir".formatted(to));
        }
        try {
            new Project(kind, name, routine).write(to);
        } catch (IOException e) {
            throw new CommandException("cannot write %s: %s".formatted(to, e), e);
        }
        PrintWriter out = spec.commandLine().getOut();
        out.printf("%s is there; %s says how to go on%n", to, to.resolve("README.md"));
        out.flush();
    }
}
