package dev.outboard.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.terminal.ByteSize;
import dev.outboard.terminal.Measure;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class NodeCommandTest {
    @Test
    void measuresEachTarget() {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode =
                new CommandLine(new BenchCommand())
                        .registerConverter(ByteSize.class, ByteSize::parse)
                        .registerConverter(Duration.class, Measure::parseTime)
                        .setOut(new PrintWriter(out, true))
                        .setErr(new PrintWriter(err, true))
                        .execute("node", "--runs", "1", "--run-time", "20ms");

        assertThat(exitCode).as(err.toString()).isZero();
        assertThat(out.toString())
                .containsPattern(
                        "(?s)\\(node/empty\\).* dpa-handler +[0-9.]+ [um]s .* cpu +[0-9.]+ [um]s")
                .containsPattern(
                        "(?s)\\(node/edges\\).* chain +[0-9.]+ [um]?s .* dpa-handler .* dpa .* afu .* cpu ");
    }

    @Test
    void soaksAllTargets() {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode =
                new CommandLine(new BenchCommand())
                        .registerConverter(ByteSize.class, ByteSize::parse)
                        .registerConverter(Duration.class, Measure::parseTime)
                        .setOut(new PrintWriter(out, true))
                        .setErr(new PrintWriter(err, true))
                        .execute("soak-node", "--clients", "2", "--time", "2s", "--interval", "2s");

        assertThat(out.toString() + err).contains("wrong bytes: 0");
        assertThat(exitCode).as(out + err.toString()).isZero();
    }
}
