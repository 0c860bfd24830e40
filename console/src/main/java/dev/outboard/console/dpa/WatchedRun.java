package dev.outboard.console.dpa;

import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.trace.Trace;
import dev.outboard.dpa.watch.Watch;
import dev.outboard.terminal.CommandException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/// While a program runs: others can look at it, and a trace of it is taken if anybody wants one.
final class WatchedRun implements AutoCloseable {
    private final PrintWriter err;
    private final @Nullable Watch watch;
    private final @Nullable FileTrace trace;

    /// A trace on its way to a file.
    private record FileTrace(Trace trace, Path file, OutputStream out) {}

    /// Begins it.
    ///
    /// @param file what the trace is written to
    /// @throws picocli.CommandLine.ParameterException if that cannot be done
    WatchedRun(CommandSpec spec, DpaDevice device, Optional<Path> file) {
        err = spec.commandLine().getErr();
        trace =
                file.map(
                                to -> {
                                    OutputStream out = TraceCommand.create(spec, to);
                                    return new FileTrace(device.trace(), to, out);
                                })
                        .orElse(null);
        watch = open();
    }

    /// A program runs also where nobody can look at it.
    private @Nullable Watch open() {
        try {
            return Watch.open();
        } catch (IOException | UnsupportedOperationException e) {
            note("'outboard dpa ps' will not see this program: " + e);
            return null;
        }
    }

    private void note(String text) {
        err.println("outboard: " + text);
        err.flush();
    }

    @Override
    public void close() {
        try {
            if (watch != null) {
                watch.close();
            }
            if (trace != null) {
                try (OutputStream out = trace.out) {
                    trace.trace.write(out);
                }
                note(TraceCommand.told(trace.trace.events(), trace.trace.lost(), trace.file));
            }
        } catch (IOException e) {
            throw new CommandException("the trace cannot be written: " + e.getMessage(), e);
        }
    }
}
