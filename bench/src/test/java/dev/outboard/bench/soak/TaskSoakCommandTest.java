package dev.outboard.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.terminal.ByteSize;
import dev.outboard.terminal.Measure;
import dev.outboard.testkit.Requirement;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class TaskSoakCommandTest {
    private static final Pattern VERDICT =
            Pattern.compile(
                    "(?m)^([1-9][0-9]*) of (\\1) tasks completed, ([1-9][0-9]*) of (\\3) messages arrived, 0 were wrong; memory is flat$");

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @ParameterizedTest
    @ValueSource(strings = {"0", "5"})
    @Requirement({"DTEST-7", "DFLT-60"})
    void eightThreadsOnOneDeviceLoseNoCompletion(String loss) {
        int exitCode = run("--time", "4s", "--interval", "2s", "--loss", loss);

        Matcher verdict = VERDICT.matcher(out.toString());
        assertThat(verdict.find()).as(out + "\n" + err).isTrue();
        assertThat(Long.parseLong(verdict.group(1))).isGreaterThan(1_000);
        assertThat(exitCode).as(out.toString()).isZero();
    }

    @Test
    void refusesWhatMakesNoSense() {
        assertThat(run("--loss", "21")).isEqualTo(2);
        assertThat(err.toString()).contains("a loss of 0 to 20");
    }

    private int run(String... options) {
        return new CommandLine(new TaskSoakCommand())
                .registerConverter(ByteSize.class, ByteSize::parse)
                .registerConverter(Duration.class, Measure::parseTime)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(options);
    }
}
