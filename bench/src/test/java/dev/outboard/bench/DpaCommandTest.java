package dev.outboard.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.terminal.ByteSize;
import dev.outboard.terminal.Measure;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class DpaCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String work) {
        return new CommandLine(new BenchCommand())
                .registerConverter(ByteSize.class, ByteSize::parse)
                .registerConverter(Duration.class, Measure::parseTime)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute("dpa", "--work", work, "--runs", "1", "--run-time", "20ms");
    }

    @Test
    void measuresAllWorksOfTheModel() {
        assertThat(run("model")).as(err.toString()).isZero();
        assertThat(out.toString())
                .containsPattern("(?s)\\(model/explore\\).* LIT-20 a +[0-9.]+ [kM]/s ")
                .containsPattern("(?s)\\(model/litmus\\).* LIT-.* the whole catalog +[0-9.]+ .s ")
                .containsPattern("(?s)\\(model/check\\).* CHECK +[0-9.]+ .s .* FAST +[0-9.]+ .s ")
                .containsPattern(
                        "(?s)\\(model/crc\\).* FAST +[0-9.]+ .* plain memory segment +[0-9]")
                .containsPattern(
                        "(?s)\\(model/matrix\\).* FAST +[0-9.]+ .* plain memory segment +[0-9]");
    }

    @Test
    void measuresOneWorkOfThem() {
        assertThat(run("model/explore")).as(err.toString()).isZero();
        assertThat(out.toString()).contains("(model/explore)").doesNotContain("(model/crc)");
    }

    @Test
    void namesTheWorksThatThereAre() {
        assertThat(run("mod")).isEqualTo(2);
        assertThat(err.toString()).contains("--work mod; valid: [model/explore, model/litmus,");
    }
}
