package dev.outboard.console.afu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class LitmusCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... words) {
        return new CommandLine(new AfuCommand())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(words);
    }

    @Test
    void printsALineForEachVariant() {
        assertThat(run("litmus", "--scenario", "LIT-1", "--scenario", "LIT-22")).isZero();
        assertThat(out.toString().lines().map(line -> line.replaceAll(" .*", "")))
                .containsExactly(
                        "Scenario",
                        "LIT-1",
                        "LIT-1",
                        "LIT-1",
                        "LIT-1",
                        "LIT-1",
                        "LIT-22",
                        "LIT-22",
                        "LIT-22b",
                        "LIT-22b",
                        "All");
    }

    @Test
    void listsAllOutcomesThatCanBe() {
        assertThat(run("litmus", "--scenario", "LIT-9", "--platform", "Pac-d5005", "--exhaustive"))
                .isZero();
        assertThat(out.toString())
                .containsPattern("LIT-9 +PAC_D5005 +c=VA +ok +2 of 2 ")
                .containsPattern("\n +\\d+ +a=0\n +\\d+ +a=1\n");
    }

    @Test
    void runsByTheModelThatWasMeasured() {
        assertThat(run("litmus", "--scenario", "RSP-1", "--platform", "pac_a10")).isZero();
        assertThat(out.toString()).contains("allowed a=1 answered=R2,W1: ");
        assertThat(
                        run(
                                "litmus",
                                "--scenario",
                                "RSP-1",
                                "--platform",
                                "pac_a10",
                                "--model",
                                "measured"))
                .isZero();
        assertThat(out.toString()).contains("forbidden a=1 answered=R2,W1: 0");
    }

    @Test
    void saysWhichPlatformsAndScenariosThereAre() {
        assertThat(run("litmus", "--platform", "VAX")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("no platform 'VAX'; there are pac_a10, ");
        assertThat(run("litmus", "--scenario", "LIT-99")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString())
                .contains("no scenario of LIT-99 runs on pac_a10, integrated; there are LIT-1, ");
        assertThat(run("litmus", "--seeds", "0")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("--seeds 0; valid are 1 and more");
    }
}
