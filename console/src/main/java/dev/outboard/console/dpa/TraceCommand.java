package dev.outboard.console.dpa;

import dev.outboard.dpa.watch.Watched;
import dev.outboard.terminal.CommandException;
import dev.outboard.terminal.Measure;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `outboard dpa trace`: what a program does on its DPA for some time, for Perfetto.
@Command(
        name = "trace",
        description = {
            "Write what a program does on its DPA to a file that https://ui.perfetto.dev opens:"
                    + " execution units, handlers, NIC and doorbells on one axis of time.",
            "It asks a program of this user that 'outboard dpa run' runs, or that calls Watch.open."
                    + " 'outboard dpa run --trace' writes such a file from the begin on."
        },
        footer = {
            "",
            "Examples:",
            "  outboard dpa trace 4711 --to dpa.pftrace",
            "  outboard dpa trace 4711 --for 200ms --to dpa.pftrace",
            "",
            "Ends with 1 if the program does not answer, or is not there. docs/dpa.md explains what"
                    + " is in the file."
        })
final class TraceCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Parameters(
            paramLabel = "PID",
            description = "The process of the operating system, as 'outboard dpa ps' lists it.")
    private long pid;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            converter = Time.class,
            defaultValue = "1s",
            description = "How long, as 200ms or 5s. Default: ${DEFAULT-VALUE}.")
    private Duration time = Duration.ZERO;

    @Option(
            names = "--to",
            paramLabel = "FILE",
            required = true,
            description = "The file, which is replaced if it exists.")
    private Path file = Path.of("");

    /// A time in the command line.
    static final class Time implements ITypeConverter<Duration> {
        @Override
        public Duration convert(String word) {
            return Measure.parseTime(word);
        }
    }

    @Override
    public Integer call() throws IOException {
        Watched watched = WatchedPrograms.find(List.of(pid)).getFirst();
        Watched.Taken taken;
        try (OutputStream out = create(spec, file)) {
            taken = take(watched, out);
        }
        spec.commandLine().getErr().println(told(taken.events(), taken.lost(), file));
        spec.commandLine().getErr().flush();
        return ExitCode.OK;
    }

    private Watched.Taken take(Watched watched, OutputStream out) {
        try {
            return watched.trace(time, out);
        } catch (IOException e) {
            throw new CommandException(
                    "no trace of process %d: %s".formatted(pid, e.getMessage()), e);
        }
    }

    /// A file for a trace.
    ///
    /// @throws ParameterException if it cannot be written
    static OutputStream create(CommandSpec spec, Path file) {
        try {
            return new BufferedOutputStream(Files.newOutputStream(file));
        } catch (NoSuchFileException e) {
            throw usage(spec, "no such directory: " + file.toAbsolutePath().getParent(), e);
        } catch (AccessDeniedException e) {
            throw usage(spec, "permission denied: " + file, e);
        } catch (IOException e) {
            throw usage(spec, "%s cannot be written: %s".formatted(file, e.getMessage()), e);
        }
    }

    private static ParameterException usage(CommandSpec spec, String problem, IOException e) {
        return new ParameterException(spec.commandLine(), problem, e);
    }

    /// What a user is told of a trace.
    static String told(long events, long lost, Path file) {
        return lost == 0
                ? "trace: %d events in %s".formatted(events, file)
                : "trace: %d events in %s; it was full, and %d later events are lost"
                        .formatted(events, file, lost);
    }
}
