package dev.outboard.console.dpa;

import dev.outboard.dpa.debug.Debugger;
import dev.outboard.dpa.debug.Operator;
import dev.outboard.dpa.debug.ProgramView;
import dev.outboard.dpa.debug.io.GdbServer;
import dev.outboard.terminal.CommandException;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/// While a program in RV64 code runs, gdb operates it, or its instructions are written to a file.
final class FollowedRun implements AutoCloseable {
    private final PrintWriter err;
    private final ElfOptions options;
    private final Path program;
    private final @Nullable GdbServer server;
    private final @Nullable PrintWriter instructions;
    private final Debugger debugger;

    FollowedRun(CommandSpec spec, ElfOptions options, Path program, ProgramView view) {
        this.options = options;
        this.program = program;
        err = spec.commandLine().getErr();
        instructions =
                options.instructions
                        .map(to ->
                                new PrintWriter(
                                        new OutputStreamWriter(
                                                TraceCommand.create(spec, to),
                                                StandardCharsets.UTF_8)))
                        .orElse(null);
        server = options.port().isPresent() ? listen(options.port().getAsInt()) : null;
        debugger = new Debugger(view, server == null ? Operator.NONE : server);
        if (instructions != null) {
            debugger.trace((thread, pc) -> instructions.println(thread + "  " + view.line(pc)));
        }
    }

    private static GdbServer listen(int port) {
        try {
            return GdbServer.listen(port);
        } catch (IOException | IllegalArgumentException e) {
            throw new CommandException(
                    "gdb cannot come to port %d of 127.0.0.1: %s; --gdb 0 takes one that is free"
                            .formatted(port, e.getMessage()),
                    e);
        }
    }

    Debugger debugger() {
        return debugger;
    }

    /// Waits for gdb, if it is to come.
    void begin() throws IOException {
        if (server == null) {
            return;
        }
        String command =
                "gdb-multiarch -ex 'target remote 127.0.0.1:%d' %s"
                        .formatted(server.port(), program);
        err.println("outboard: the program waits for gdb; type in another terminal: " + command);
        err.flush();
        try {
            server.accept(debugger, options.gdbWait);
        } catch (SocketTimeoutException e) {
            throw new CommandException(
                    "gdb has not come within %d s; --gdb-wait makes it longer"
                            .formatted(options.gdbWait.toSeconds()),
                    e);
        }
    }

    /// The program has ended by itself.
    void exited(int code) {
        if (server != null) {
            server.exited(code);
        }
    }

    /// The program was ended.
    void crashed() {
        if (server != null) {
            server.crashed();
        }
    }

    /// Whether that was what gdb wanted.
    boolean isEndedByGdb() {
        return server != null && server.isEnded();
    }

    @Override
    public void close() throws IOException {
        if (instructions != null) {
            instructions.close();
        }
        if (server != null) {
            server.close();
        }
    }
}
