package dev.outboard.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Runs tshark, where it is installed; a test that asks for it is skipped otherwise.
public final class Tshark {
    private static final Path PROGRAM = Path.of("/usr/bin/tshark");

    private Tshark() {}

    public static void assumeInstalled() {
        assumeTrue(Files.isExecutable(PROGRAM), "tshark is not installed");
    }

    /// What it prints.
    public static List<String> lines(String... words) throws IOException, InterruptedException {
        assumeInstalled();
        List<String> command = new ArrayList<>(List.of(PROGRAM.toString()));
        command.addAll(List.of(words));
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        List<String> lines = process.inputReader().readAllLines();
        assertThat(process.waitFor()).isZero();
        return lines;
    }

    /// A line for each packet of `capture`: these fields of it, with tabs between them. Checksums
    /// are looked at.
    public static List<String> fields(Path capture, String... fields)
            throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of("-r", capture.toString(), "-T", "fields"));
        for (String preference : List.of("udp.check_checksum:TRUE", "ip.check_checksum:TRUE")) {
            words.addAll(List.of("-o", preference));
        }
        for (String field : fields) {
            words.addAll(List.of("-e", field));
        }
        return lines(words.toArray(String[]::new));
    }
}
