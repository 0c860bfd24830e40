package dev.outboard.ccip.rtl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.outboard.ccip.checker.Answers;
import dev.outboard.ccip.host.Fpga;
import dev.outboard.ccip.host.Simulation;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.trace.Waves;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DesignWavesTest {
    private static final Profile PROFILE = Profile.PAC_A10;
    private static final long PERIOD = 1_000_000 / PROFILE.pClkMegahertz();

    /// A register that an MMIO write sets and each read increments, a module inside the module, and
    /// logic on both edges of pClk.
    private static final String BODY =
            """
            t_ccip_c0_ReqMmioHdr mmio;
            assign mmio = t_ccip_c0_ReqMmioHdr'(pck_cp2af_sRx.c0.hdr);
            logic [31:0] kept;
            logic falls;
            outboard_inner inner(.clk(pClk), .in(kept));
            assign pck_af2cp_sTx.c0 = '0;
            assign pck_af2cp_sTx.c1 = '0;
            always_ff @(negedge pClk) falls <= pck_cp2af_sRx.c0.mmioWrValid;
            always_ff @(posedge pClk) begin
                pck_af2cp_sTx.c2.mmioRdValid <= pck_cp2af_sRx.c0.mmioRdValid;
                pck_af2cp_sTx.c2.hdr.tid <= mmio.tid;
                pck_af2cp_sTx.c2.data <= mmio.address == 0 ? 64'h1000_0100_0000_0000 : 64'(kept);
                if (pck_cp2af_sRx.c0.mmioWrValid) kept <= pck_cp2af_sRx.c0.data[31:0];
                else if (pck_cp2af_sRx.c0.mmioRdValid) kept <= kept + 1;
                if (pck_cp2af_softReset) begin
                    kept <= 0;
                    pck_af2cp_sTx.c2.mmioRdValid <= 0;
                end
            end
            endmodule
            module outboard_inner(input logic clk, input logic [31:0] in);
                logic [31:0] deep;
                always_ff @(posedge clk) deep <= in;
            """;

    private static final String USER_CLOCK =
            """
            logic [7:0] ticks;
            always_ff @(posedge uClk_usr) ticks <= ticks + 1;
            """;

    private static final String TOP = "TOP.ccip_std_afu.";

    @TempDir private Path directory;

    private Waves waves;

    /// A write and two reads of the register, far apart.
    ///
    /// @param skipped so many cycles without waveforms
    private void run(RtlDesign design, long skipped) throws IOException {
        Path file = directory.resolve("run.vcd");
        try (VerilatedAfu afu = Verilator.build().compile(design).open(PROFILE, 1);
                DesignWaves both = DesignWaves.open(file, PROFILE, afu)) {
            Simulation simulation = Simulation.of(PROFILE, afu).build();
            try (Fpga fpga = Fpga.open(simulation)) {
                fpga.step(skipped);
                simulation.monitor(both);
                fpga.step(100);
                fpga.writeMmio64(0x40, 0xCAFE);
                fpga.step(50);
                assertThat(fpga.readMmio64(0x40)).isEqualTo(0xCAFE);
                assertThat(fpga.readMmio64(0x40)).isEqualTo(0xCAFF);
                fpga.step(50);
            }
        }
        waves = Waves.parse(Files.readString(file, StandardCharsets.ISO_8859_1));
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files).containsExactly(file);
        }
    }

    private BigInteger bits(String signal, long time) {
        String digits = waves.at(signal, time);
        return new BigInteger(digits.startsWith("b") ? digits.substring(1) : digits, 2);
    }

    /// The first time from a time on at which a wire of the port rises.
    private long rising(String signal, long from) {
        return waves.changes(signal).stream()
                .filter(time -> time >= from && waves.at(signal, time).equals("1"))
                .findFirst()
                .orElseThrow();
    }

    private void assertSame(String inside, String port, long time) {
        assertThat(bits(inside, time)).as("%s at %d", inside, time).isEqualTo(bits(port, time));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 777})
    void aRegisterChangesAtTheEdgeAtWhichTheWiresCarryTheWrite(long skipped) throws IOException {
        run(Verilator.afu("waves", BODY).withSignals(9), skipped);

        long write = rising("port.rx.c0.mmioWrValid", 0);
        long written = write + PERIOD;
        assertThat(write).isEqualTo(Long.parseLong(waves.at("port.cycle", write), 2) * PERIOD);
        assertThat(bits(TOP + "kept", written - 1)).isLessThan(BigInteger.TEN);
        assertThat(bits(TOP + "kept", written)).isEqualTo(0xCAFE);
        assertThat(bits(TOP + "inner.deep", written + PERIOD - 1)).isLessThan(BigInteger.TEN);
        assertThat(bits(TOP + "inner.deep", written + PERIOD)).isEqualTo(0xCAFE);
        // What the clock's falling edge samples is what the wires carry then.
        assertThat(waves.at(TOP + "falls", write + PERIOD / 2 - 1)).isEqualTo("0");
        assertThat(waves.at(TOP + "falls", write + PERIOD / 2)).isEqualTo("1");
        // A read is answered with what the register has held until then.
        long answer = rising("port.tx.c2.mmioRdValid", written);
        assertThat(bits("port.tx.c2.data", answer)).isEqualTo(0xCAFE);
        assertThat(bits(TOP + "kept", answer - 1)).isEqualTo(0xCAFE);
        assertThat(bits(TOP + "kept", answer)).isEqualTo(0xCAFF);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", USER_CLOCK})
    void theWiresAreTheSameInsideAndOutsideInEveryCycle(String besides) throws IOException {
        run(Verilator.afu("waves" + besides.length(), besides + BODY).withSignals(9), 0);

        Set<Long> edges = waves.changes("port.pClk");
        long first = edges.stream().min(Long::compare).orElseThrow();
        long last = edges.stream().max(Long::compare).orElseThrow();
        assertThat(last - first).isGreaterThan(150 * PERIOD);
        int beats = 0;
        for (long time = first; time < last; time += PERIOD) {
            assertSame(TOP + "pck_cp2af_softReset", "port.softReset", time);
            assertSame(TOP + "pck_cp2af_sRx.c0.mmioWrValid", "port.rx.c0.mmioWrValid", time);
            assertSame(TOP + "pck_cp2af_sRx.c0.mmioRdValid", "port.rx.c0.mmioRdValid", time);
            if (waves.at("port.rx.c0.mmioRdValid", time).equals("1")) {
                assertSame(TOP + "mmio.address", "port.rx.c0.mmio_address", time);
                beats++;
            }
            if (waves.at("port.pClk", time).equals("1")) {
                assertSame(TOP + "pClk", "port.pClk", time);
                assertSame(TOP + "pClk", "port.pClk", time + PERIOD / 2);
            }
            if (waves.at("port.softReset", time).equals("0")) {
                String valid = "c2.mmioRdValid";
                assertSame(TOP + "pck_af2cp_sTx." + valid, "port.tx." + valid, time);
                if (waves.at("port.tx." + valid, time).equals("1")) {
                    assertSame(TOP + "pck_af2cp_sTx.c2.data", "port.tx.c2.data", time);
                    beats++;
                }
            }
        }
        assertThat(beats).isPositive();
        if (!besides.isEmpty()) {
            // uClk_usr has 312.5 MHz, give or take its jitter.
            long cycles = waves.changes(TOP + "pClk").size() / 2;
            long ticks = cycles * PERIOD / 3200;
            assertThat((long) waves.changes(TOP + "ticks").size()).isBetween(ticks - 3, ticks + 3);
        }
    }

    @Test
    void onlySoManyLevelsOfModulesAreThere() throws IOException {
        run(Verilator.afu("waves", BODY).withSignals(1), 0);

        assertThat(waves.names())
                .contains(TOP + "kept[31:0]", "port.tx.c2.data[63:0]")
                .noneMatch(name -> name.contains("inner"));
    }

    @Test
    void aModelWithoutSignalsSaysSo() throws IOException {
        try (VerilatedAfu afu =
                        Verilator.build().compile(Verilator.afu("waves", BODY)).open(PROFILE, 1);
                DesignWaves waves = DesignWaves.open(directory.resolve("a.vcd"), PROFILE, afu)) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> waves.clock(0, new Tx(), new Rx(), new Answers()))
                    .withMessage(
                            "ccip_std_afu was compiled without its signals: see"
                                    + " RtlDesign.withSignals");
        }
        RtlDesign design = Verilator.afu("waves", BODY);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> design.withSignals(0))
                .withMessage("0 levels; valid are 1 and more");
    }

    @Test
    void aFileThatCannotBeWrittenIsNamed() throws IOException {
        Files.createDirectory(directory.resolve("a.vcd.inside"));
        RtlDesign design = Verilator.afu("waves", BODY).withSignals(9);
        try (VerilatedAfu afu = Verilator.build().compile(design).open(PROFILE, 1);
                DesignWaves waves = DesignWaves.open(directory.resolve("a.vcd"), PROFILE, afu)) {
            assertThatExceptionOfType(RtlException.class)
                    .isThrownBy(() -> waves.clock(0, new Tx(), new Rx(), new Answers()))
                    .withMessageContaining("a.vcd.inside cannot be written: ");
        }
    }

    /// A device that is always full.
    @Test
    void aFullDiskIsToldAtTheEnd() throws IOException {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.exists(full));
        RtlDesign design = Verilator.afu("waves", BODY).withSignals(9);
        Files.createSymbolicLink(directory.resolve("a.vcd.inside"), full);
        try (VerilatedAfu afu = Verilator.build().compile(design).open(PROFILE, 1)) {
            DesignWaves waves = DesignWaves.open(directory.resolve("a.vcd"), PROFILE, afu);
            Simulation simulation = Simulation.of(PROFILE, afu).build();
            simulation.monitor(waves);
            simulation.step(20_000);
            assertThatExceptionOfType(RtlException.class)
                    .isThrownBy(waves::close)
                    .withMessageContaining(
                            "a.vcd.inside cannot be written: No space left on device");
            waves.close();
        }
    }
}
