package dev.outboard.console;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/// What one run of a command printed, and its exit code.
public record Execution(int exitCode, String out, String err) {
    /// Runs `outboard` in this process.
    public static Execution ofOutboard(String... words) {
        return of(Main.commandLine(words), words);
    }

    static Execution of(CommandLine command, String... words) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode =
                command.setOut(new PrintWriter(out, true))
                        .setErr(new PrintWriter(err, true))
                        .execute(words);
        return new Execution(exitCode, out.toString(), err.toString());
    }
}
