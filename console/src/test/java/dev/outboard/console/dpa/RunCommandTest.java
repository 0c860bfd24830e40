package dev.outboard.console.dpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.ExitCode;

class RunCommandTest extends DpaCommandFixture {
    private static final String KERNELS =
            """
            import dev.outboard.dpa.machine.DpaThread;
            import dev.outboard.dpacc.*;
            @dev.outboard.dpacc.DpaProgram("ledger") @SuppressWarnings("all")
            class Ledger {
                @DpaRpc
                static long add(DpaThread thread, DpaAddr word, long amount) {
                    long sum = thread.load64(word.value()) + amount;
                    thread.store64(word.value(), sum);
                    return sum;
                }
            }
            """;
    private static final String HOST =
            """
            import dev.outboard.dpa.flexio.*;
            import dev.outboard.dpacc.DpaAddr;
            import java.nio.file.*;
            class Bookkeeper {
                public static void run(DpaDevice device, String[] arguments) throws Exception {
                    try (HostProcess host = HostProcess.open();
                            FlexioProcess process = FlexioProcess.create(host, device, LedgerStub.APP)) {
                        DpaAddr word = process.heap().zeros(8);
                        if (arguments[1].equals("late")) {
                            process.heap().free(word);
                        } else if (arguments[1].equals("wild")) {
                            word = new DpaAddr(8);
                        }
                        long sum = process.call(LedgerStub.add(word, 5));
                        Files.writeString(
                                Path.of(arguments[0]),
                                sum + " on " + device.capabilities().totalUnits());
                    }
                }
                void none() {}
            }
            """;

    private static final String TIMER =
            """
            import dev.outboard.dpa.machine.DpaThread;
            import dev.outboard.dpacc.*;
            @dev.outboard.dpacc.DpaProgram("timer") @SuppressWarnings("all")
            class Timer {
                @DpaRpc
                static long load(DpaThread thread, int window, int key, DpaAddr word) {
                    thread.configureWindow(window, key);
                    long begin = thread.cycles();
                    thread.load64(thread.window(word.value()));
                    return thread.cycles() - begin - 1;
                }
            }
            """;
    private static final String TIMED =
            """
            import dev.outboard.dpa.flexio.*;
            import dev.outboard.dpa.machine.ExternalKind;
            import java.nio.file.*;
            class Timed {
                public static void run(DpaDevice device, String[] arguments) throws Exception {
                    try (HostProcess host = HostProcess.open();
                            FlexioProcess process = FlexioProcess.create(host, device, TimerStub.APP)) {
                        FlexioBuffer word = FlexioBuffer.create(process, "word", ExternalKind.ARM, 8);
                        FlexioMkey key = FlexioMkey.create(process.domain(), word, 0, 8);
                        FlexioWindow window = FlexioWindow.create(process, process.domain());
                        long cycles =
                                process.call(
                                        TimerStub.load(window.number(), key.number(), word.address()));
                        Files.writeString(Path.of(arguments[0]), cycles + " cycles");
                    }
                }
            }
            """;

    private String classes = "";
    private Path result = Path.of("");

    @BeforeEach
    void compile() throws IOException {
        classes = Programs.compile(directory, KERNELS, HOST).toString();
        result = directory.resolve("result");
    }

    @ParameterizedTest
    @ValueSource(strings = {"fast", "weak", "check"})
    void runsAProgramInEachMode(String mode) throws IOException {
        String[] words = {
            "run", classes, "Bookkeeper", result.toString(), "well", "--mode", mode, "--units=2x4"
        };
        assertThat(run(words)).isZero();
        assertThat(result).hasContent("5 on 8");
        assertThat(out.toString())
                .isEqualTo(
                        mode.equals("check") ? "Bookkeeper: nothing found in 1 run (SEED)\n" : "");
    }

    @ParameterizedTest
    @CsvSource({"flat, 601", "bf3, 400"})
    void theTimingDecidesWhatALoadTakes(String timing, int cycles) throws IOException {
        String clock = Programs.compile(directory, TIMER, TIMED).toString();
        String[] words = {
            "run", clock, "Timed", result.toString(), "--mode=weak", "--timing", timing
        };
        assertThat(run(words)).isZero();
        assertThat(result).hasContent(cycles + " cycles");
    }

    @Test
    void runsAProgramOnADeviceOfTheFabric() {
        String device = "--device=roce://auto?peer=127.0.0.1";
        String[] words = {"run", classes, "Bookkeeper", result.toString(), "well", device};
        assertThat(run(words)).isZero();
        assertThat(result).hasContent("5 on 256");
        words[5] = "--device=roce://192.0.2.1";
        assertThat(run(words)).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("192.0.2.1");
    }

    @Test
    void printsWhatTheCheckerFinds() {
        String[] words = {"run", classes, "Bookkeeper", result.toString(), "late", "--mode=check"};
        assertThat(run(words)).isEqualTo(ExitCode.SOFTWARE);
        assertThat(out.toString()).contains("[DPA-CHK-15]", "at Ledger.java:", "Seed 1 shows it");
        assertThat(run("run", classes, "Bookkeeper", result.toString(), "late")).isZero();
    }

    @Test
    void saysWhyAProgramFails() {
        String[] words = {"run", classes, "Bookkeeper", result.toString(), "wild", "--mode=check"};
        assertThat(run(words)).isEqualTo(ExitCode.SOFTWARE);
        assertThat(err.toString())
                .contains("Bookkeeper failed: ")
                .contains("load outside all regions (code 4): 8 bytes at 0x8")
                .contains(" at Bookkeeper.run(Bookkeeper.java:");
        assertThat(out.toString()).contains("Bookkeeper: ");
        assertThat(run("run", classes, "Bookkeeper")).isEqualTo(ExitCode.SOFTWARE);
        assertThat(err.toString()).contains("Bookkeeper failed: java.lang.ArrayIndexOutOfBounds");
    }

    @Test
    void noPeerIsOutsideInTurns() {
        String[] words = {
            "run", classes, "Bookkeeper", "--mode=check", "--device=roce://auto?peer=127.0.0.1"
        };
        assertThat(run(words)).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString())
                .contains("in mode CHECK a program has no peers outside the machine")
                .contains("valid with --device: FAST");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "Ledger | --seed=1 | class Ledger has no method 'public static void run(DpaDevice device, String[] arguments)'",
                "None   | --seed=1 | no class None in ",
                "Bookkeeper | --units=0x4 | '0x4' are no execution units; valid are",
                "Bookkeeper | --units=4   | '4' are no execution units; valid are",
                "Bookkeeper | --mode=slow | --mode",
                "Bookkeeper | --timing=slow | --timing"
            })
    void badInputEndsWithTwo(String program, String option, String problem) {
        assertThat(run("run", classes, program, option)).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains(problem);
        assertThat(Files.exists(result)).isFalse();
    }
}
