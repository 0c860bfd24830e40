package dev.outboard.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;

class ExampleCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void listsTheExamplesWhenNoneIsNamed() {
        assertThat(run("")).isEqualTo(ExitCode.OK);
        assertThat(out.toString())
                .contains("ping-pong", "notified-write", "counter", "file-copy", "load-times")
                .contains("four-sends", "all-to-all", "kernel-launch", "device-exchange");
    }

    @ParameterizedTest
    @CsvSource({
        "ping-pong,      client",
        "ping-pong,      servant",
        "notified-write, client",
        "counter,        64",
        "ping-pong,      server here",
        "counter,        client localhost 64",
        "four-sends,     client",
        "file-copy,      client localhost",
        "file-copy,      server only one two",
    })
    void refusesWordsThatNameNoSide(String example, String words) {
        assertThat(run(example + " " + words)).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString())
                .startsWith("'" + words + "' is not clear; valid is [server | client HOST]");
    }

    @Test
    void measuresLoadsBySeed() {
        assertThat(run("load-times --seed 2")).isEqualTo(ExitCode.OK);
        assertThat(out.toString()).contains("8 MiB of the DPA  720  720");
    }

    @Test
    void launchesAKernel() {
        assertThat(run("kernel-launch")).isEqualTo(ExitCode.OK);
        assertThat(out.toString()).contains("thread 3 of 4 began at 5");
    }

    private int run(String words) {
        return new CommandLine(new ExampleCommand())
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(words.isEmpty() ? new String[0] : words.split(" "));
    }
}
