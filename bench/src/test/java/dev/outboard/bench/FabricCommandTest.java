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

class FabricCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void measuresOurselvesAndSaysHowToGetWhatIsMissing() {
        int exitCode = run("--runs", "1", "--run-time", "20ms", "--work", "verbs", "--no-peers");

        assertThat(exitCode).as(err.toString()).isZero();
        assertThat(out.toString())
                .contains(Machine.here().java(), "MEDIAN", "RATIO")
                .containsPattern("(?m)^ +WRITE with immediate +[0-9.]+ [um]s .* 1\\.00 ")
                .containsPattern("(?m)^ +same packets in C +(-|[0-9.]+ [um]s) ");
    }

    @Test
    void printsJsonWithEveryRound() {
        int exitCode =
                run("--runs", "2", "--run-time", "20ms", "--work", "rate", "--no-peers", "--json");

        assertThat(exitCode).as(err.toString()).isZero();
        JsonNode work = JsonMapper.builder().build().readTree(out.toString()).path("works").path(0);
        JsonNode ours = work.path("rows").path(0);
        assertThat(work.path("unit").asString()).isEqualTo("MESSAGES");
        assertThat(ours.path("results").size()).isEqualTo(2);
        assertThat(ours.path("ratios").path(1).asDouble()).isEqualTo(1.0);
    }

    @Test
    void refusesAWorkThatDoesNotExist() {
        assertThat(run("--work", "rpcs")).isEqualTo(2);
        assertThat(err.toString()).contains("--work rpcs; valid: [rpc, ");
    }

    private int run(String... words) {
        String[] all = new String[words.length + 1];
        all[0] = "fabric";
        System.arraycopy(words, 0, all, 1, words.length);
        return new CommandLine(new BenchCommand())
                .registerConverter(ByteSize.class, ByteSize::parse)
                .registerConverter(Duration.class, Measure::parseTime)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(all);
    }
}
