package dev.outboard.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.terminal.Measure;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class ClientsCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void measuresEightClientsWithThreadsAndWithFutures() {
        int exitCode =
                run("--runs", "1", "--run-time", "50ms", "--work", "rate-8,tail-8", "--no-peers");

        assertThat(exitCode).as(err.toString()).isZero();
        assertThat(out.toString())
                .contains("8 clients (rate-8)", "8 clients (tail-8)")
                .containsPattern("(?m)^ +Outboard, threads +[0-9.]+ [kM]/s .* 1\\.00 ")
                .containsPattern("(?m)^ +Outboard, futures +[0-9.]+ [kM]/s ")
                .containsPattern("(?m)^ +Outboard, threads: p99 +[0-9.]+ [um]s ")
                .containsPattern("(?m)^ +Outboard, futures: p99 +[0-9.]+ [um]s ");
    }

    @Test
    void measuresClientsInProcessesOfTheirOwnAndBesideAProgramThatTakesAProcessor() {
        int exitCode =
                run(
                        "--runs",
                        "1",
                        "--run-time",
                        "20ms",
                        "--work",
                        "apart-8,beside-load",
                        "--no-peers");

        assertThat(exitCode).as(err.toString()).isZero();
        assertThat(out.toString())
                .contains("8 clients in 2 processes")
                .containsPattern("(?m)^ +Outboard, threads +[0-9.]+ [kM]/s .* 1\\.00 ")
                .containsPattern("(?m)^ +Outboard, futures +[0-9.]+ [kM]/s ")
                .containsPattern("(?m)^ +beside a program that takes a processor +[0-9.]+ [um]s ")
                .containsPattern("(?m)^ +alone +[0-9.]+ [um]s ")
                .doesNotContain("gRPC");
        assertThat(ProcessHandle.current().children())
                .allSatisfy(
                        child -> assertThat(child.onExit()).succeedsWithin(Duration.ofSeconds(30)));
    }

    private int run(String... words) {
        String[] all = new String[words.length + 1];
        all[0] = "clients";
        System.arraycopy(words, 0, all, 1, words.length);
        return new CommandLine(new BenchCommand())
                .registerConverter(Duration.class, Measure::parseTime)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(all);
    }
}
