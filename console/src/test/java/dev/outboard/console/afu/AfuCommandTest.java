package dev.outboard.console.afu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.trace.Transaction;
import dev.outboard.console.Execution;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// `outboard afu` with the examples in Java, which need no tool.
class AfuCommandTest {
    @TempDir private Path directory;

    @ParameterizedTest
    @CsvSource({
        "hello,     wrote \"Hello world!\"",
        "copy,      copied 64 lines",
        "add,       added 1024 integers",
        "sha256,    computed",
        "interrupt, wrote 64 lines and sent interrupt 0",
        "bytes,     copied 4032 bytes to byte 5",
        "umsg,      gave 64 lines back"
    })
    void eachExampleRunsInBothModes(String example, String outcome) {
        for (String mode : List.of("timed", "adversarial")) {
            Execution run = afu("run", example, "--mode", mode, "--seed", "3", "--lines", "64");

            assertThat(run.exitCode()).as(run.toString()).isZero();
            assertThat(run.out()).startsWith("the AFU " + outcome).contains(" cycles, ", "Tx C1");
            assertThat(run.err()).isEmpty();
        }
    }

    @Test
    @Requirement("CCIP-MOD-5")
    void theSameWordsGiveTheSameFiles() throws IOException {
        Path log = directory.resolve("run.tsv");
        Path waves = directory.resolve("run.vcd");
        List<String> words =
                List.of("run", "umsg", "--mode", "adversarial", "--log", log.toString(), "--vcd");
        List<String> all = new ArrayList<>(words);
        all.add(waves.toString());
        Execution first = afu(all.toArray(String[]::new));
        String firstLog = Files.readString(log);
        String firstWaves = Files.readString(waves);

        assertThat(afu(all.toArray(String[]::new))).isEqualTo(first);
        assertThat(Files.readString(log)).isEqualTo(firstLog).startsWith(Transaction.HEADER_LINE);
        assertThat(Files.readString(waves)).isEqualTo(firstWaves).contains("$enddefinitions");
    }

    @Test
    void takesAFileAndGivesOne() throws IOException {
        Path in = Files.writeString(directory.resolve("in.txt"), "some text");
        Path out = directory.resolve("out.txt");

        afu("run", "copy", "--in", in.toString(), "--out", out.toString(), "--lines", "2");

        assertThat(Files.readString(out)).startsWith("some text").hasSize(128);
    }

    @Test
    void traceShowsALogAndPartsOfIt() {
        String log = directory.resolve("run.tsv").toString();
        afu("run", "hello", "--log", log);

        Execution all = afu("trace", log);
        assertThat(all.exitCode()).as(all.toString()).isZero();
        assertThat(all.out())
                .startsWith("     cycle  wires   what            request\n")
                .containsPattern("\\d+  port    SOFT_RESET +0\n")
                .containsPattern("\\d+  Rx C0   MMIO_READ +0  at 0x8 tid 0x")
                .containsPattern("\\d+  Tx C1   WRLINE_I +0  VA lines 1 at 0x\\w+ mdata 0x0 …\\w+")
                .containsPattern("\\d+  Rx C1   WRLINE +0  VH0 ");
        assertThat(afu("trace", log, "--channel", "TX_C1").out().lines()).hasSize(2);
        assertThat(afu("trace", log, "--cycles", "0-1").out().lines()).hasSize(2);
        assertThat(afu("trace", log, "--request", "7").out().lines()).hasSize(3);
    }

    @Test
    @Requirement("CCIP-CCH-8")
    void lookupsOfTheFpgaCacheAreShownAndCounted() {
        String log = directory.resolve("run.tsv").toString();
        String[] words = {"run", "copy", "--lines", "8", "--platform", "integrated", "--log", log};

        assertThat(afu(words).out()).containsPattern("RDLINE_I +\\d+ lines, 0 hits, \\d+ misses");
        assertThat(afu("trace", log, "--channel", "CACHE").out())
                .containsPattern("\\d+  cache   RDLINE_I +0  VL0 line 0 at 0x\\w+ miss I→I RdCur\n")
                .containsPattern("cache   WRLINE_I .* miss I→I InvItoE,WbMtoI\n");
        words[5] = "pac_d5005";
        assertThat(afu(words).out()).doesNotContain("misses");
        assertThat(afu("trace", log, "--channel", "CACHE").out().lines()).hasSize(1);
    }

    @Test
    @Requirement("CCIP-FLW-12")
    void sweepRunsOncePerCycleOfTheRange() {
        Execution run = afu("run", "copy", "--lines", "8", "--almost-full", "290-310");

        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(run.out()).isEqualTo("63 runs, 63 without a finding\n");
    }

    @Test
    void aPlatformIsSpeltInAnyCase() {
        for (String platform : List.of("PAC_A10", "pac-a10", "Pac_A10")) {
            assertThat(afu("run", "hello", "--platform", platform).exitCode()).isZero();
        }
    }

    @Test
    void aTimeForMmioReadsThatIsNoneIsRefused() {
        assertThat(afu("run", "hello", "--mmio-timeout", "512").exitCode()).isZero();
        assertThat(afu("run", "hello", "--mmio-timeout", "0").err())
                .contains("--mmio-timeout 0; valid are 1 and more");
    }

    @Test
    @Requirement({"CCIP-CHK-2", "CCIP-ORD-53"})
    void severitiesAndFlagsCanBeSet() {
        Execution plain = afu("run", "copy", "--lines", "8");
        Execution flag = afu("run", "copy", "--lines", "8", "--flag", "destination:7");
        Execution info =
                afu(
                        "run",
                        "copy",
                        "--lines",
                        "8",
                        "--flag",
                        "destination:7",
                        "--severity",
                        "haz_flag_unfenced=info");

        assertThat(plain.exitCode()).isZero();
        assertThat(flag.exitCode()).isEqualTo(1);
        assertThat(flag.out()).contains("HAZ_FLAG_UNFENCED (warning) in cycle ");
        assertThat(info.exitCode()).isZero();
        assertThat(info.out()).contains(" x HAZ_FLAG_UNFENCED");
        assertThat(afu("run", "copy", "--lines", "8", "--flag", "destination:8").err())
                .contains("no line 8 in a buffer of 8 lines; valid are 0 to 7");
        assertThat(afu("run", "copy", "--flag", "7").err())
                .contains("'7' is no line of a buffer such as source:0 or destination:7");
    }

    @Test
    @Requirement("CCIP-PLT-4")
    void wavesOnErrorNeedWavesAndHardware() {
        assertThat(afu("run", "hello", "--vcd-on-error").err())
                .contains("--vcd-on-error needs --vcd FILE and --policy hardware");
        Path waves = directory.resolve("none.vcd");
        assertThat(afu("run", "hello", "--vcd", waves.toString(), "--vcd-on-error").exitCode())
                .isZero();
        assertThat(waves).doesNotExist();
    }

    @Test
    void wavesInsideNeedWavesAndADesign() {
        String waves = directory.resolve("none.vcd").toString();
        String needs = "--vcd-inside needs --vcd FILE and a design in SystemVerilog";
        assertThat(afu("run", "hello", "--vcd", waves, "--vcd-inside", "2").err()).contains(needs);
        assertThat(afu("run", "a.sv", "--vcd-inside", "2").err()).contains(needs);
        assertThat(afu("run", "a.sv", "--vcd", waves, "--vcd-inside", "-1").err())
                .contains("--vcd-inside -1; valid are 1 and more");
        assertThat(afu("run", "a.sv", "--vcd", waves, "--vcd-inside", "1", "--vcd-on-error").err())
                .contains("nobody keeps what was inside the design before the error");
        assertThat(Path.of(waves)).doesNotExist();
    }

    @Test
    void aSweepOfManyRunsKeepsNoneOfThem() {
        for (String option : List.of("--vcd", "--log")) {
            Path file = directory.resolve("none");
            Execution run = afu("run", "hello", "--almost-full", "1-2", option, file.toString());
            assertThat(run.err()).contains("--almost-full makes many runs", option);
            assertThat(run.exitCode()).isEqualTo(2);
            assertThat(file).doesNotExist();
        }
    }

    @Test
    void anAfuThatNeverEndsIsEnded() {
        Execution run = afu("run", "hello", "--program", "job", "--cycles", "5000");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .matches("outboard: bit 0 of register 0x60, STATUS, is still 0 in cycle 5\\d+\n");
        assertThat(run.out()).contains("MMIO reads");
    }

    @Test
    void aPlatformWithoutWhatTheProgramNeedsIsNamed() {
        Execution run = afu("run", "interrupt", "--platform", "integrated");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).isEqualTo("outboard: Platform INTEGRATED has no interrupts\n");
    }

    @Test
    void wrongWordsAreNamed() throws IOException {
        assertThat(afu("run", "helo").err())
                .isEqualTo(
                        "outboard: no AFU 'helo': neither an example nor a file (see 'outboard afu"
                                + " run --help')\n");
        assertThat(afu("run", "hello", "--platform", "pac").err())
                .contains("no platform 'pac'; there are pac_a10, pac_n3000, pac_d5005, integrated");
        assertThat(afu("run", "copy", "--almost-full", "9-3").err())
                .contains("'9-3' is no range of cycles such as 300-450");
        assertThat(afu("run", "copy", "--lines", "1").err()).contains("1 lines; valid are 2 to");
        Path file = Files.writeString(directory.resolve("no.tsv"), "cycle\n");
        Execution trace = afu("trace", file.toString());
        assertThat(trace.exitCode()).isEqualTo(1);
        assertThat(trace.err()).contains("no.tsv is no transaction log: its first line is not");
        Files.writeString(file, Transaction.HEADER_LINE + "\nx\n");
        assertThat(afu("trace", file.toString()).err()).contains("no.tsv, line 2: ");
    }

    private static Execution afu(String... words) {
        List<String> all = new ArrayList<>(List.of("afu"));
        all.addAll(List.of(words));
        return Execution.ofOutboard(all.toArray(String[]::new));
    }
}
