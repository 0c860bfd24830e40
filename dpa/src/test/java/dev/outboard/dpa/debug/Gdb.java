package dev.outboard.dpa.debug;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// The gdb of this machine, which does some commands and ends.
final class Gdb implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final Path PROGRAM = Path.of("/usr/bin/gdb-multiarch");

    private final Process process;
    private final Path output;

    private Gdb(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    static Gdb orSkip(int port, Path elf, String... commands) throws IOException {
        assumeTrue(Files.isExecutable(PROGRAM), "needs gdb-multiarch");
        List<String> words = new ArrayList<>(List.of(PROGRAM.toString(), "-nx", "-batch"));
        words.addAll(List.of("-ex", "set confirm off", "-ex", "target remote 127.0.0.1:" + port));
        for (String command : commands) {
            words.addAll(List.of("-ex", command));
        }
        words.add(elf.toString());
        Path output = elf.resolveSibling("gdb.txt");
        Process process =
                new ProcessBuilder(words)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        return new Gdb(process, output);
    }

    /// What it has printed when it has ended.
    String text() throws IOException, InterruptedException {
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        return Files.readString(output);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
