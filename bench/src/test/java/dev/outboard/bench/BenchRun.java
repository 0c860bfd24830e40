package dev.outboard.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.terminal.ByteSize;
import dev.outboard.terminal.Measure;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import picocli.CommandLine;

/// `outboard bench` in this process.
final class BenchRun {
    private BenchRun() {}

    /// Runs a command that succeeds.
    ///
    /// @return what it printed
    static String of(String... words) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode =
                new CommandLine(new BenchCommand())
                        .registerConverter(ByteSize.class, ByteSize::parse)
                        .registerConverter(Duration.class, Measure::parseTime)
                        .setOut(new PrintWriter(out, true))
                        .setErr(new PrintWriter(err, true))
                        .execute(words);
        assertThat(exitCode).as(out + err.toString()).isZero();
        return out.toString();
    }
}
