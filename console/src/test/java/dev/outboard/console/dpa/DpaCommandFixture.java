package dev.outboard.console.dpa;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// Runs commands of `outboard dpa` on files of a directory of its own.
abstract class DpaCommandFixture {
    final StringWriter out = new StringWriter();
    final StringWriter err = new StringWriter();

    @TempDir Path directory;

    int run(String... words) {
        return new CommandLine(new DpaCommand())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(words);
    }

    String file(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text).toString();
    }
}
