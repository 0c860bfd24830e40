package dev.outboard.console.dpacc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `outboard dpacc extract`: takes the executable out of a JAR.
@Command(
        name = "extract",
        description = "Take the executable of a device program out of the JAR that holds it.")
final class ExtractCommand implements Callable<Integer> {
    @Parameters(paramLabel = "JAR", description = "What dpacc has written.")
    private Path jar = Path.of("");

    @Option(
            names = {"-o", "--output-file"},
            required = true,
            paramLabel = "FILE",
            description = "Where the executable goes; a file there is replaced.")
    private Path output = Path.of("");

    @Override
    public Integer call() throws IOException {
        byte[] elf = DeviceFile.bytes(jar);
        DeviceFile.program(jar, elf);
        Files.write(output, elf);
        return ExitCode.OK;
    }
}
