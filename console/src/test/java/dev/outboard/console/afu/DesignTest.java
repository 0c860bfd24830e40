package dev.outboard.console.afu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.outboard.ccip.rtl.RtlBuild;
import dev.outboard.ccip.rtl.RtlException;
import dev.outboard.ccip.trace.OnError;
import dev.outboard.console.BesideOthers;
import dev.outboard.console.Execution;
import dev.outboard.console.OutboardProcess;
import dev.outboard.testkit.Repository;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `outboard afu` with designs in SystemVerilog that are not as they should be: each is named, and
/// each ends by itself.
@BesideOthers
class DesignTest {
    /// An AFU whose registers are what `REGISTERS` says, and which answers if `ANSWERS`.
    private static final String DESIGN =
            """
            `include "platform_if.vh"
            module ccip_std_afu (
                input logic pClk, pClkDiv2, pClkDiv4, uClk_usr, uClk_usrDiv2, pck_cp2af_softReset,
                input logic [1:0] pck_cp2af_pwrState,
                input logic pck_cp2af_error,
                input t_if_ccip_Rx pck_cp2af_sRx,
                output t_if_ccip_Tx pck_af2cp_sTx
            );
                t_ccip_c0_ReqMmioHdr mmio;
                assign mmio = t_ccip_c0_ReqMmioHdr'(pck_cp2af_sRx.c0.hdr);
                assign pck_af2cp_sTx.c0 = '0;
                assign pck_af2cp_sTx.c1 = '0;
                always_ff @(posedge pClk) begin
                    pck_af2cp_sTx.c2.mmioRdValid <=
                        %s && pck_cp2af_sRx.c0.mmioRdValid && !pck_cp2af_softReset;
                    pck_af2cp_sTx.c2.hdr.tid <= mmio.tid;
                    case (mmio.address)
                        16'h0: pck_af2cp_sTx.c2.data <= 64'h1000_0000_0040_0000;
                        16'h10: pck_af2cp_sTx.c2.data <= 64'h3000_00FF_FFC0_0000;
                        16'h2, 16'h4: pck_af2cp_sTx.c2.data <= 64'h1234;
                        default: pck_af2cp_sTx.c2.data <= '0;
                    endcase
                end
            endmodule
            """;

    /// What a design may have that nothing sets.
    private static final String LOOSE =
            """
            logic [63:0] never;
            initial $display("it begins");
            """;

    private static final long PICOSECONDS_PER_CYCLE = 5000;

    @TempDir private Path directory;

    @Test
    void aVerilatorThatIsMissingIsNamed() throws IOException {
        Path file = Files.writeString(directory.resolve("afu.sv"), DESIGN.formatted("1"));
        List<String> command = new ArrayList<>(OutboardProcess.command());
        command.addAll(List.of("afu", "build", file.toString()));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("PATH", directory.toString());
        builder.environment().remove("VERILATOR");
        try (OutboardProcess process = OutboardProcess.ofProgram(builder)) {
            Execution run = process.awaitEnd();

            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.err()).startsWith("outboard: no verilator on the PATH. ");
        }
    }

    @Test
    @Requirement("CCIP-RTL-10a")
    void withoutVerilatorAndACompilerAfusInJavaRun() throws IOException {
        for (String example : List.of("hello", "copy", "umsg")) {
            List<String> command = new ArrayList<>(OutboardProcess.command());
            command.addAll(List.of("afu", "run", example, "--lines", "16"));
            ProcessBuilder builder = new ProcessBuilder(command);
            builder.environment().put("PATH", directory.toString());
            builder.environment().remove("VERILATOR");
            builder.environment().remove("CXX");
            try (OutboardProcess process = OutboardProcess.ofProgram(builder)) {
                Execution run = process.awaitEnd();

                assertThat(run.exitCode()).as(run.toString()).isZero();
                assertThat(run.out()).startsWith("the AFU ");
            }
        }
    }

    /// An AFU that works if the register that says so holds 0 at first, and hangs else.
    @Test
    @Requirement({"CCIP-RTL-11a", "CCIP-RTL-11c"})
    void aDesignThatNeedsRegistersAtZeroIsToldSo() throws IOException {
        String design =
                DESIGN.formatted("hung == 0")
                        .replace("16'h10: pck_af2cp_sTx.c2.data <= 64'h3000_00FF_FFC0_0000;", "")
                        .replace("64'h1000_0000_0040_0000", "64'h1000_0100_0000_0000")
                        .replace(
                                "t_ccip_c0_ReqMmioHdr mmio;",
                                "t_ccip_c0_ReqMmioHdr mmio;\nlogic [15:0] hung;\n");
        Execution random = outboard("run", design, "--init", "random");
        Execution zero = outboard("run", design, "--init", "zero");

        assertThat(random.exitCode()).isEqualTo(1);
        assertThat(random.err()).contains("did not answer the ");
        assertThat(zero.exitCode()).as(zero.toString()).isZero();
        assertThat(zero.out()).startsWith("found AFU ").doesNotContain("TX_UNDEFINED");
    }

    @Test
    @Requirement({"CCIP-RTL-11b", "CCIP-RTL-11c"})
    void aValueThatIsNotSetIsNamedWithTheStartThatTheDesignNeeds() throws IOException {
        String design =
                DESIGN.formatted("1")
                        .replace("64'h1000_0000_0040_0000", "64'h1000_0100_0000_0000")
                        .replace(
                                "t_ccip_c0_ReqMmioHdr mmio;",
                                "t_ccip_c0_ReqMmioHdr mmio;\nlogic [63:0] never;\n")
                        .replace(
                                "16'h10:", "16'h6, 16'h8: pck_af2cp_sTx.c2.data <= never;\n16'hA:");
        Execution run = outboard("run", design, "--init", "7");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out())
                .contains("TX_UNDEFINED (warning)")
                .containsOnlyOnce(
                        "started at zero, as most boards do, it ends well: this design"
                                + " needs --init zero\n");
        assertThat(outboard("run", design, "--init", "7").out()).isEqualTo(run.out());
    }

    @Test
    void aStartThatIsNoneIsNamed() {
        Execution run = Execution.ofOutboard("afu", "run", "hello", "--init", "ones");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("'ones'; valid are zero, random, and a number as a seed");
    }

    @Test
    @Requirement("CCIP-RTL-16f")
    void wordsForVerilatorAreHandedOn() throws IOException {
        Execution run =
                outboard("build", DESIGN.formatted("1"), "--verilator-option", "-Wall --no-such");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("--no-such");
    }

    @Test
    void aMistakeIsNamedWithFileAndLine() throws IOException {
        Execution run = outboard("build", DESIGN.formatted("1 +").replace("16'h2,", "nothing,"));

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).containsPattern("afu\\.sv:\\d+");
    }

    @Test
    void aPortThatIsNotThatOfCcipIsNamed() throws IOException {
        Execution run =
                outboard(
                        "build",
                        DESIGN.formatted("1")
                                .replace("output t_if_ccip_Tx", "output logic [741:0]")
                                .replaceAll(
                                        "(?s)t_ccip_c0_ReqMmioHdr mmio;.*endmodule", "endmodule")
                                .replace("pck_af2cp_sTx", "wrong_name"));

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("pck_af2cp_sTx");
    }

    @Test
    @Requirement("CCIP-MMIO-14")
    void anAfuThatAnswersNoReadIsNamedWithTheCycle() throws IOException {
        Execution run = outboard("run", DESIGN.formatted("0"), "--mmio-timeout", "512");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).containsPattern("did not answer the .*cycle \\d+ within 512 cycles");
    }

    @Test
    @Requirement("CCIP-PLT-4")
    void theWaveformsBeginShortlyBeforeTheErrorIfThereIsOne() throws IOException {
        Path waves = directory.resolve("port.vcd");
        String[] options = {"--mmio-timeout", "600", "--vcd", waves.toString(), "--vcd-on-error"};

        // A finding about the feature list is no error of the port.
        assertThat(outboard("run", DESIGN.formatted("1"), options).out()).contains("DFL_LOOP");
        assertThat(waves).doesNotExist();

        assertThat(outboard("run", DESIGN.formatted("0"), options).err())
                .contains("did not answer");
        List<String> lines = Files.readAllLines(waves);
        String error =
                lines.stream()
                        .filter(line -> line.endsWith(" error $end"))
                        .map(line -> line.split(" ")[3])
                        .findFirst()
                        .orElseThrow();
        assertThat(lines).containsSubsequence("0" + error, "1" + error);
        long begins =
                lines.stream()
                        .filter(line -> line.startsWith("#"))
                        .mapToLong(line -> Long.parseLong(line.substring(1)))
                        .findFirst()
                        .orElseThrow();
        assertThat(begins / PICOSECONDS_PER_CYCLE).isGreaterThan(600 - OnError.CYCLES);
    }

    @Test
    void aFeatureListThatLoopsIsNamedAndEnds() throws IOException {
        Execution run = outboard("run", DESIGN.formatted("1"));

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).startsWith("found AFU ").contains("DFL_LOOP");
    }

    @Test
    @Requirement("CCIP-RTL-6")
    void aRegisterThatNothingSetsIsFoundAndItsTwinKeepsSilent() throws IOException {
        String design =
                DESIGN.formatted("1")
                        .replace(
                                "t_ccip_c0_ReqMmioHdr mmio;",
                                "t_ccip_c0_ReqMmioHdr mmio;\n" + LOOSE)
                        .replace("16'h10:", "16'h6: pck_af2cp_sTx.c2.data <= never;\n16'h10:");
        Execution run = outboard("run", design);

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).containsPattern("TX_UNDEFINED \\(warning\\).* c2\\.data depends on");
        assertThat(run.err()).containsOnlyOnce("it begins").contains("not driven: 'never'");
    }

    /// The AFU that takes no notice of almost-full, mended so that it misses no edge of that wire
    /// but one at its twelfth write.
    @Test
    @Requirement("CCIP-FLW-12")
    void aSweepNamesTheOneCycleInWhichADesignIsWrong() throws IOException {
        Path example = Repository.root().resolve("examples/afu/seeded_bug");
        String mended =
                """
                logic full;
                logic holds;
                always_ff @(posedge pClk) begin
                    full <= rx.c1TxAlmFull;
                    if (rx.c1TxAlmFull != full && !(write_now && written == 12))
                        holds <= rx.c1TxAlmFull;
                    if (reset) holds <= 1'b0;
                end
                assign write_now = running && written != count && !holds;
                """;
        String design =
                Files.readString(example.resolve("ccip_std_afu.sv"))
                        .replace("assign write_now = running && written != count;", mended);
        Files.copy(example.resolve("seeded_bug.json"), directory.resolve("seeded_bug.json"));

        Execution run =
                outboard(
                        "run",
                        design,
                        directory.resolve("seeded_bug.json").toString(),
                        "--program",
                        "job",
                        "--lines",
                        "30",
                        "--almost-full",
                        "440-560");

        assertThat(run.err()).endsWith("outboard: almost-full shows a fault in 1 of 121 cycles\n");
        assertThat(run.out())
                .matches(
                        """
                        almost full on Tx C1 from cycle \\d+: C1TX_ALMFULL_OVERRUN .*
                        almost full on Tx C0 and Tx C1 from cycle \\d+: C1TX_ALMFULL_OVERRUN .*
                        363 runs, 361 without a finding
                        """);
    }

    private Execution outboard(String command, String design, String... more) throws IOException {
        try {
            RtlBuild.onThisMachine();
        } catch (RtlException e) {
            return abort("needs Verilator and a C++ compiler: " + e.getMessage());
        }
        Path file = Files.writeString(directory.resolve("afu.sv"), design);
        List<String> words = new ArrayList<>(OutboardProcess.command());
        words.addAll(List.of("afu", command, file.toString()));
        words.addAll(List.of(more));
        ProcessBuilder builder = new ProcessBuilder(words);
        builder.environment()
                .put("XDG_CACHE_HOME", Path.of("target/guide-cache").toAbsolutePath().toString());
        try (OutboardProcess process = OutboardProcess.ofProgram(builder)) {
            return process.awaitEnd();
        }
    }
}
