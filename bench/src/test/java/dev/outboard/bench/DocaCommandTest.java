package dev.outboard.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.terminal.ByteSize;
import dev.outboard.terminal.Measure;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class DocaCommandTest {
    @Test
    void measuresTasksNextToTheVerbs() {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode =
                new CommandLine(new BenchCommand())
                        .registerConverter(ByteSize.class, ByteSize::parse)
                        .registerConverter(Duration.class, Measure::parseTime)
                        .setOut(new PrintWriter(out, true))
                        .setErr(new PrintWriter(err, true))
                        .execute("doca", "--runs", "1", "--run-time", "20ms");

        assertThat(exitCode).as(err.toString()).isZero();
        assertThat(out.toString())
                .containsPattern(
                        "(?s)\\(send\\).* DOCA tasks +[0-9.]+ [um]s .* 1\\.00 .* bare verbs")
                .containsPattern("(?s)\\(rate\\).* DOCA tasks +[0-9.]+ [kM]/s ")
                .containsPattern("(?s)\\(read-1m\\).* DOCA tasks +[0-9.]+ [KMG]B/s ");
    }
}
