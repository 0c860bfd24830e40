package dev.outboard.terminal;

import java.io.PrintWriter;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/// The end of a command that finds something out: the result goes to standard output, as text or as
/// JSON, and what is going on to standard error. A picocli mixin, with the life of its command.
public final class Reporting {
    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    @Option(names = "--json", description = "Print the result as JSON.")
    private boolean json;

    /// For picocli.
    public Reporting() {}

    /// Prints `result`, for people by means of `text`.
    public void print(Object result, Consumer<PrintWriter> text) {
        PrintWriter out = command().commandLine().getOut();
        if (json) {
            JsonMapper mapper =
                    JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
            out.println(mapper.writeValueAsString(result));
        } else {
            text.accept(out);
        }
        out.flush();
    }

    /// Tells what is going on.
    public void say(String progress) {
        PrintWriter err = command().commandLine().getErr();
        err.println(progress);
        err.flush();
    }

    private CommandSpec command() {
        if (command == null) {
            throw new IllegalStateException("not mixed into a command");
        }
        return command;
    }
}
