package dev.outboard.console.dpacc;

import dev.outboard.dpa.cc.CodeListing;
import java.io.PrintWriter;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `outboard dpacc objdump`: the instructions of a device program.
@Command(
        name = "objdump",
        description = {
            "List the instructions of a device program, under the names of its functions and the"
                    + " lines of its source."
        })
final class ObjdumpCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "The executable, or a JAR that holds one.")
    private Path file = Path.of("");

    @Override
    public void run() {
        PrintWriter out = spec.commandLine().getOut();
        CodeListing.of(DeviceFile.program(file)).forEach(out::println);
        out.flush();
    }
}
