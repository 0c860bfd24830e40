package dev.outboard.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.bench.comparison.Machine;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class RpcCommandTest {
    @Test
    void measuresBothAndPrintsATable() {
        String table =
                BenchRun.of("rpc", "--runs", "1", "--run-time", "20ms", "--sizes", "64,64KiB");

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
                                BenchRun.of(
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
}
