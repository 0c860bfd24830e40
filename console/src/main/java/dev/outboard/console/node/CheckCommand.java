package dev.outboard.console.node;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `outboard node check`: what is wrong with a node file.
@Command(
        name = "check",
        description = {
            "Tell everything that is wrong with the description of a node, by line and column.",
            "Nothing is started: whether an address or a port is free is not looked at."
        },
        footer = {"", "Ends with 1 if anything is wrong. docs/node-yaml.md lists all keys."})
final class CheckCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "The description of a node, in YAML.")
    private Path file = Path.of("");

    @Override
    public Integer call() throws IOException {
        Problems problems = new Problems(file);
        NodePlan plan = NodePlan.of(NodeFile.read(file, problems), problems);
        PrintWriter out = spec.commandLine().getOut();
        if (problems.isEmpty()) {
            out.println(
                    "%s: nothing wrong, %d routines at %s port %d"
                            .formatted(
                                    file,
                                    plan.routines().routines().routines().size(),
                                    plan.bind(),
                                    plan.port()));
        } else {
            problems.lines().forEach(out::println);
        }
        out.flush();
        return problems.isEmpty() ? ExitCode.OK : ExitCode.SOFTWARE;
    }
}
