package dev.outboard.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.terminal.ByteSize;
import dev.outboard.terminal.Measure;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class CcipCommandTest {
    @Test
    void measuresThePlatformNextToAPlainModel() {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode =
                new CommandLine(new BenchCommand())
                        .registerConverter(ByteSize.class, ByteSize::parse)
                        .registerConverter(Duration.class, Measure::parseTime)
                        .setOut(new PrintWriter(out, true))
                        .setErr(new PrintWriter(err, true))
                        .execute("ccip", "--runs", "1", "--run-time", "20ms");

        assertThat(exitCode).as(err.toString()).isZero();
        assertThat(out.toString())
                .containsPattern(
                        "(?s)\\(copy-wide\\).* FIU and copy AFU +[0-9.]+ [kM]/s .* plain model")
                .containsPattern("(?s)\\(idle\\).* quiet AFU +[0-9.]+ [kM]/s ");
    }
}
