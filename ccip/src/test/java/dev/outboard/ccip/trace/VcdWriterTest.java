package dev.outboard.ccip.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.outboard.ccip.checker.Monitor;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.testkit.Repository;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class VcdWriterTest {
    /// pClk of the integrated platform: 400 MHz.
    private static final long PERIOD = 2500;

    @ParameterizedTest
    @EnumSource(Mode.class)
    void theWavesSayWhatTheWiresCarry(Mode mode) {
        List<Transaction> log = new ArrayList<>();
        Waves waves = Waves.parse(dump(CopyRun.of(mode), new TransactionLog(log::add)));

        for (Transaction beat : log) {
            long time = beat.cycle() * PERIOD;
            switch (beat.channel()) {
                case TX_C0 -> {
                    assertThat(waves.at("port.tx.c0.valid", time)).isEqualTo("1");
                    assertThat(waves.at("port.tx.c0.request", time)).isEqualTo(beat.type());
                    assertThat(number(waves, "port.tx.c0.address", time)).isEqualTo(beat.address());
                    assertThat(waves.at("port.tx.c0.vc_sel", time)).isEqualTo(beat.vc());
                    assertThat(number(waves, "port.tx.c0.mdata", time)).isEqualTo(beat.mdata());
                    assertThat(hexadecimal(waves, "port.tx.c0.hdr", time, 19))
                            .isEqualTo(beat.header());
                }
                case TX_C1 -> {
                    assertThat(waves.at("port.tx.c1.request", time)).isEqualTo(beat.type());
                    if (!beat.type().equals("WRFENCE")) {
                        assertThat(number(waves, "port.tx.c1.sop", time)).isEqualTo(beat.sop());
                        assertThat(hexadecimal(waves, "port.tx.c1.data", time, 128))
                                .isEqualTo(beat.data());
                    }
                }
                case RX_C0 -> {
                    assertThat(waves.at("port.rx.c0.response", time)).isEqualTo(beat.type());
                    if (beat.type().equals("RDLINE")) {
                        assertThat(hexadecimal(waves, "port.rx.c0.data", time, 128))
                                .isEqualTo(beat.data());
                        assertThat(number(waves, "port.rx.c0.answers", time))
                                .isEqualTo(beat.request());
                        assertThat(waves.at("port.rx.c0.mmio_tid", time)).isEqualTo("z");
                    }
                }
                case RX_C1 -> {
                    assertThat(waves.at("port.rx.c1.rspValid", time)).isEqualTo("1");
                    assertThat(waves.at("port.rx.c1.vc_used", time))
                            .isEqualTo(beat.vc().replace("-", ""));
                    assertThat(number(waves, "port.rx.c1.mdata", time)).isEqualTo(beat.mdata());
                }
                default -> {}
            }
        }
        assertThat(waves.count("port.tx.c0.valid", "1")).isPositive();
        assertThat(waves.at("port.softReset", 0)).isEqualTo("1");
        assertThat(waves.at("port.pwrState", 0)).isEqualTo("AP0");
        assertThat(waves.at("port.cycle", 3 * PERIOD)).isEqualTo("11");
        assertThat(waves.at("port.pClk", 3 * PERIOD)).isEqualTo("1");
        assertThat(waves.at("port.pClk", 3 * PERIOD + PERIOD / 2)).isEqualTo("0");
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void whatMeansNothingIsIdle(Mode mode) {
        Map<Long, Boolean> valid = new HashMap<>();
        Waves waves =
                Waves.parse(
                        dump(
                                CopyRun.of(mode).stepping(),
                                (cycle, tx, rx, answers) ->
                                        valid.put(
                                                cycle,
                                                rx.c0.rspValid
                                                        || rx.c0.mmioRdValid
                                                        || rx.c0.mmioWrValid)));

        assertThat(valid.values()).contains(true, false);
        valid.forEach((cycle, isValid) ->
                assertThat(waves.at("port.rx.c0.hdr", cycle * PERIOD).equals("z"))
                        .isNotEqualTo(isValid));
    }

    @Test
    void skippedQuietCyclesLeaveTheWavesAsTheyAre() {
        CopyRun run = CopyRun.of(Mode.TIMED);

        assertThat(dump(run.stepping(), nothing())).isEqualTo(dump(run, nothing()));
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void theSameSeedGivesTheSameWaves(Mode mode) {
        CopyRun run = CopyRun.of(mode);

        assertThat(dump(run, nothing())).isEqualTo(dump(run, nothing()));
    }

    @Test
    void gtkWaveReadsTheFile(@TempDir Path directory) throws IOException, InterruptedException {
        assumeTrue(
                Stream.of(System.getenv("PATH").split(":"))
                        .anyMatch(bin -> Files.isExecutable(Path.of(bin, "vcd2fst"))),
                "vcd2fst of GTKWave is not installed");
        Path vcd = directory.resolve("run.vcd");
        Files.writeString(vcd, dump(CopyRun.of(Mode.ADVERSARIAL), nothing()));
        Path fst = directory.resolve("run.fst");
        Path back = directory.resolve("back.vcd");

        runs("vcd2fst", vcd.toString(), fst.toString());
        runs("fst2vcd", fst.toString(), "-o", back.toString());

        Waves waves = Waves.parse(Files.readString(back).replaceAll("(?s)^.*?(?=\\$scope)", ""));
        assertThat(waves.count("port.tx.c0.request", "RDLINE_I")).isPositive();
    }

    @Test
    void theSaveFileOfTheExamplesNamesSignalsThatThereAre() throws IOException {
        Waves waves = Waves.parse(dump(CopyRun.of(Mode.TIMED), nothing()));
        List<String> named =
                Files.readAllLines(Repository.root().resolve("examples/afu/port.gtkw")).stream()
                        .filter(line -> line.startsWith("port."))
                        .toList();

        assertThat(named).hasSizeGreaterThan(40);
        assertThat(waves.names()).containsAll(named);
    }

    private static void runs(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }

    private static Monitor nothing() {
        return (cycle, tx, rx, answers) -> {};
    }

    private static String dump(CopyRun run, Monitor other) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (VcdWriter waves = new VcdWriter(out, Profile.INTEGRATED)) {
            run.run(simulation -> {
                simulation.monitor(other);
                return waves;
            });
        }
        return out.toString(StandardCharsets.US_ASCII);
    }

    private static long number(Waves waves, String signal, long time) {
        return Long.parseLong(waves.at(signal, time), 2);
    }

    private static String hexadecimal(Waves waves, String signal, long time, int digits) {
        String text = new BigInteger(waves.at(signal, time), 2).toString(16);
        return "0".repeat(digits - text.length()) + text;
    }
}
