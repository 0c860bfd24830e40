package dev.outboard.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.bench.comparison.Machine;
import dev.outboard.terminal.ByteSize;
import dev.outboard.terminal.Measure;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class RpcCommandTest {
    @Test
    void measuresBothAndPrintsATable() {
        String table = run("rpc", "--runs", "1", "--run-time", "20ms", "--sizes", "64,64KiB");

        assertThat(table)
                .contains(Machine.here().java(), "MEDIAN", "p99.9", "RATIO")
                .containsPattern("(?m)^ +64 B +RPC +[0-9.]+ [um]s ")
                .containsPattern("(?m)^64 KiB +RPC +[0-9.]+ [um]s ")
                .containsPattern("(?m)^ +UDP +[0-9.]+ [um]s .* 1$");
    }

    @Test
    void printsJsonWithTheMachineAndTheCommand() {
        JsonNode report =
                JsonMapper.builder()
                        .build()
                        .readTree(
                                run(
                                        "rpc",
                                        "--runs",
                                        "2",
                                        "--run-time",
                                        "20ms",
                                        "--sizes",
                                        "64",
                                        "--json"));

        JsonNode row = report.path("rows").path(0);
        assertThat(report.path("command").asString())
                .isEqualTo("outboard bench rpc --runs 2 --run-time 20ms --sizes 64");
        assertThat(report.path("machine").path("java").asString())
                .contains(Runtime.version().toString());
        assertThat(row.path("bytes").asLong()).isEqualTo(64);
        assertThat(row.path("outboard").path("p99").asLong()).isPositive();
        double rpc = row.path("outboard").path("median").asDouble();
        double udp = row.path("udp").path("median").asDouble();
        assertThat(row.path("ratio").asDouble()).isPositive().isEqualTo(rpc / udp);
    }

    private static String run(String... words) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode =
                new CommandLine(new BenchCommand())
                        .registerConverter(ByteSize.class, ByteSize::parse)
                        .registerConverter(Duration.class, Measure::parseTime)
                        .setOut(new PrintWriter(out, true))
                        .setErr(new PrintWriter(err, true))
                        .execute(words);
        assertThat(exitCode).as(err.toString()).isZero();
        return out.toString();
    }
}
