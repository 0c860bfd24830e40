package dev.outboard.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.terminal.ByteSize;
import dev.outboard.terminal.Measure;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class SoakCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void callsChecksKillsAndReports() {
        int exitCode =
                run("--time", "4s", "--interval", "2s", "--clients", "3", "--max-size", "16KiB");

        assertThat(exitCode).as(out + "\n" + err).isZero();
        assertThat(out.toString())
                .contains("RPCS", "WRONG", "KILLS", "NATIVE")
                .containsPattern("(?m)^ +0:02 +[0-9]+ ")
                .containsPattern("(?m)^ +0:04 +[0-9]+ ")
                .containsPattern("(?m)^0 wrong bytes in [1-9][0-9]* RPCs; memory is flat$");
    }

    @Test
    void refusesWhatMakesNoSense() {
        assertThat(run("--loss", "51")).isEqualTo(2);
        assertThat(err.toString()).contains("a loss of 0 to 50");
    }

    @Test
    void memoryIsFlatIfItComesBackToWhatItWas() {
        assertThat(Memory.isFlat(List.of(), 0)).isTrue();
        assertThat(Memory.isFlat(List.of(7L), 0)).isTrue();
        assertThat(Memory.isFlat(List.of(5L, 9L, 9L, 8L), 0)).isTrue();
        assertThat(Memory.isFlat(List.of(5L, 6L, 20L, 8L), 2)).isTrue();
        assertThat(Memory.isFlat(List.of(5L, 6L, 20L, 9L), 2)).isFalse();
    }

    private int run(String... options) {
        return new CommandLine(new SoakCommand())
                .registerConverter(ByteSize.class, ByteSize::parse)
                .registerConverter(Duration.class, Measure::parseTime)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(options);
    }
}
