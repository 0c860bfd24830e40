package dev.outboard.console;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/// What one run of the command printed, and its exit code.
record Execution(int exitCode, String out, String err) {
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
