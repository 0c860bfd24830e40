package dev.outboard.console.trace;

import dev.outboard.dpa.trace.TraceMerge;
import dev.outboard.terminal.CommandException;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `outboard trace merge`: several traces in one file.
@Command(
        name = "merge",
        description = {
            "Write the traces of several processes of a machine to one file that"
                    + " https://ui.perfetto.dev opens, on one axis of time.",
            "An RPC that is in the traces of its client and of its node is joined by an arrow."
        },
        footer = {
            "",
            "Example:",
            "  outboard trace merge node.pftrace call.pftrace --to both.pftrace"
        })
final class MergeCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Parameters(paramLabel = "FILE", arity = "1..*", description = "The traces.")
    private List<Path> files = new ArrayList<>();

    @Option(
            names = "--to",
            paramLabel = "FILE",
            required = true,
            description = "The file, which is replaced if it exists.")
    private Path target = Path.of("");

    @Override
    public Integer call() {
        List<byte[]> traces = new ArrayList<>();
        for (Path file : files) {
            traces.add(read(file));
        }
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(target))) {
            TraceMerge.merge(traces, out);
        } catch (IOException e) {
            throw new CommandException(named(e), e);
        } catch (IllegalArgumentException e) {
            throw new CommandException(e);
        }
        spec.commandLine().getErr().printf("trace: %d traces in %s%n", files.size(), target);
        spec.commandLine().getErr().flush();
        return ExitCode.OK;
    }

    /// A trace is known by its number there.
    private String named(IOException failure) {
        String text = String.valueOf(failure.getMessage());
        for (int i = files.size(); i > 0; i--) {
            text = text.replace("trace %d: ".formatted(i), files.get(i - 1) + ": ");
        }
        return text;
    }

    private static byte[] read(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            throw new CommandException("no such file: " + file, e);
        } catch (IOException e) {
            throw new CommandException("%s cannot be read: %s".formatted(file, e.getMessage()), e);
        }
    }
}
