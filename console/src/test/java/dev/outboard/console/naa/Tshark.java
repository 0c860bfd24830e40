package dev.outboard.console.naa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Runs tshark, where it is installed; a test that asks for it is skipped otherwise.
final class Tshark {
    private static final Path PROGRAM = Path.of("/usr/bin/tshark");

    private Tshark() {}

    static void assumeInstalled() {
        assumeTrue(Files.isExecutable(PROGRAM), "tshark is not installed");
    }

    /// What it prints.
    static List<String> lines(String... words) throws IOException, InterruptedException {
        assumeInstalled();
        List<String> command = new ArrayList<>(List.of(PROGRAM.toString()));
        command.addAll(List.of(words));
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        List<String> lines = process.inputReader().readAllLines();
        assertThat(process.waitFor()).isZero();
        return lines;
    }
}
