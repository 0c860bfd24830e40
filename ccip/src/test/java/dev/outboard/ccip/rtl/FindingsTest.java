package dev.outboard.ccip.rtl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.outboard.ccip.checker.Answers;
import dev.outboard.ccip.checker.Checker;
import dev.outboard.ccip.checker.ErrorPolicy;
import dev.outboard.ccip.checker.Report;
import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.rtl.RtlException.Reason;
import dev.outboard.ccip.wire.MmioLength;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What a design says of itself, what it starts with, and what it drives from another clock.
class FindingsTest {
    /// Faults by the DWORD address of an MMIO write: 1 lets an assertion fail in every cycle, 2
    /// calls `$error`, 3 calls `$finish`, 4 lets c0.hdr.mdata follow a register on uClk_usr. An
    /// MMIO read returns a register that nothing sets.
    private static final String BODY =
            """
            t_ccip_c0_ReqMmioHdr mmio;
            assign mmio = t_ccip_c0_ReqMmioHdr'(pck_cp2af_sRx.c0.hdr);
            logic wrong, crossed, toggle;
            logic [63:0] never_set;
            always_ff @(posedge uClk_usr) toggle <= !toggle && !pck_cp2af_softReset;
            assign pck_af2cp_sTx.c0 = {58'd0, crossed && toggle, 16'd0};
            assign pck_af2cp_sTx.c1 = '0;
            always_ff @(posedge pClk) begin
                assert (!wrong) else $error("wrong in spite of %0d", 42);
                pck_af2cp_sTx.c2.mmioRdValid <= pck_cp2af_sRx.c0.mmioRdValid && !pck_cp2af_softReset;
                pck_af2cp_sTx.c2.hdr.tid <= mmio.tid;
                pck_af2cp_sTx.c2.data <= never_set;
                if (pck_cp2af_sRx.c0.mmioWrValid) begin
                    case (mmio.address)
                        1: wrong <= 1;
                        2: $error("called");
                        3: $finish;
                        4: crossed <= 1;
                        default: ;
                    endcase
                end
                if (pck_cp2af_softReset) begin
                    wrong <= 0;
                    crossed <= 0;
                end
            end
            """;

    /// Uses pClk, and passes the user clock on to nobody.
    private static final String PCLK_ALONE =
            """
            logic [63:0] cycles;
            always_ff @(posedge pClk) cycles <= pck_cp2af_softReset ? 0 : cycles + 1;
            assign pck_af2cp_sTx.c0 = '0;
            assign pck_af2cp_sTx.c1 = '0;
            assign pck_af2cp_sTx.c2 = {10'd0, cycles};
            """;

    static final int ASSERTION = 1;
    private static final int ERROR = 2;
    static final int FINISH = 3;
    static final int CROSSED = 4;
    private static final int RESET = 10;
    private static final int CYCLES = 100;

    private static VerilatedDesign compiled() {
        try {
            return Verilator.build().compile(Verilator.afu(FindingsTest.class, BODY));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// A run in which the fault is asked for in a cycle, which may lie in the reset.
    static Checker checked(int when, int fault) {
        Checker checker = new Checker(Profile.PAC_A10, ErrorPolicy.LOG);
        Rx rx = new Rx();
        Tx tx = new Tx();
        try (VerilatedAfu afu = compiled().open(Profile.PAC_A10, 1);
                RtlCheck check = new RtlCheck(afu, checker)) {
            for (int cycle = 0; cycle < CYCLES; cycle++) {
                check.clock(cycle, tx, rx, new Answers());
                tx.idle();
                afu.clock(rx, tx);
                rx.idle();
                rx.softReset = cycle < RESET;
                if (cycle == when) {
                    rx.c0.mmioWrite(fault, MmioLength.BYTES_8, 0);
                }
            }
        }
        return checker;
    }

    private static Report only(Checker checker, Violation violation) {
        assertThat(checker.reports()).hasSize(1);
        assertThat(checker.reports().getFirst().violation()).isEqualTo(violation);
        return checker.reports().getFirst();
    }

    @Requirement("CCIP-RTL-12a")
    @Test
    void anAssertionThatFailsIsReportedOnceWithItsPlaceAndEndsNothing() {
        Report report = only(checked(50, ASSERTION), Violation.RTL_ASSERTION);

        assertThat(report.cycle()).isBetween(51L, 54L);
        assertThat(report.toString())
                .contains("ccip_std_afu.sv:21: Assertion failed in ", "wrong in spite of 42");
        assertThat(checked(5, ASSERTION).reports()).as("in the reset").isEmpty();
    }

    @Requirement("CCIP-RTL-12a")
    @Test
    void errorIsReportedAndEndsNothing() {
        assertThat(only(checked(50, ERROR), Violation.RTL_ASSERTION).toString())
                .contains("ccip_std_afu.sv:28: ", "called");
    }

    @Requirement("CCIP-RTL-12b")
    @Test
    void finishIsObeyedOnlyAfterTheReset() {
        assertThat(only(checked(5, FINISH), Violation.RTL_FINISH).toString())
                .contains("ccip_std_afu.sv:29 calls $finish");
        assertThatExceptionOfType(RtlException.class)
                .isThrownBy(() -> checked(50, FINISH))
                .withMessageContaining("ccip_std_afu.sv:29: the design called $finish");
    }

    @Requirement("CCIP-RTL-12c")
    @Test
    void fatalInAnInitialBlockIsTold() throws IOException {
        String body = "assign pck_af2cp_sTx = '0;\ninitial $fatal(1, \"depth %0d is odd\", 3);\n";
        VerilatedDesign design = Verilator.build().compile(Verilator.afu("fatal-at-first", body));
        assertThatExceptionOfType(RtlException.class)
                .isThrownBy(() -> design.open(Profile.PAC_A10, 1).close())
                .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.ENDED))
                .withMessageContaining("ccip_std_afu.sv:14: ")
                .withMessageContaining("depth 3 is odd")
                .withMessageNotContaining("settle");
    }

    @Requirement("CCIP-CLK-4")
    @Test
    void anOutputThatChangesWithAnotherClockIsReported() {
        assertThat(only(checked(50, CROSSED), Violation.TX_OTHER_CLOCK).toString())
                .contains("c0.hdr changes", "CCIP-CLK-4");
    }

    /// CCIP-CLK-7: two evaluations a cycle, the rise and the fall of pClk, whatever the user clock.
    @Requirement("CCIP-CLK-7")
    @Test
    void aDesignOnPClkAloneIsNotEvaluatedForOtherClocks() throws IOException {
        Rx rx = new Rx();
        Tx tx = new Tx();
        VerilatedDesign alone = Verilator.build().compile(Verilator.afu("pclk-alone", PCLK_ALONE));
        try (VerilatedAfu afu = alone.open(Profile.PAC_A10, 1)) {
            long before = afu.evaluations();
            for (int i = 0; i < 1000; i++) {
                afu.clock(rx, tx);
            }
            assertThat(afu.evaluations() - before).isEqualTo(2000);
        }
        try (VerilatedAfu afu = compiled().open(Profile.PAC_A10, 1)) {
            long before = afu.evaluations();
            for (int i = 0; i < 1000; i++) {
                afu.clock(rx, tx);
            }
            // 312.5 MHz beside 200 MHz.
            assertThat(afu.evaluations() - before).isGreaterThan(5000);
        }
    }

    private static long start(VerilatedDesign design, long seed, InitialValues values) {
        Rx rx = new Rx();
        Tx tx = new Tx();
        try (VerilatedAfu afu = design.open(Profile.PAC_A10, seed, values)) {
            rx.softReset = true;
            afu.clock(rx, tx);
            rx.softReset = false;
            rx.c0.mmioRead(0, MmioLength.BYTES_8, 0);
            afu.clock(rx, tx);
            assertThat(tx.c2.mmioRdValid).isTrue();
            return tx.c2.data;
        }
    }

    @Requirement({"CCIP-RTL-11a", "CCIP-RTL-11b"})
    @Test
    void registersStartAtZeroOrFromASeedOfTheirOwn() {
        VerilatedDesign design = compiled();
        long seven = start(design, 1, InitialValues.random(7));

        assertThat(start(design, 1, InitialValues.ZERO)).isZero();
        assertThat(seven).isNotZero().isEqualTo(start(design, 2, InitialValues.random(7)));
        assertThat(seven).isNotEqualTo(start(design, 1, InitialValues.random(8)));
    }

    /// A twin that begins with zero too could show nothing, and one that does not would show what
    /// was asked not to matter.
    @Requirement("CCIP-RTL-11a")
    @Test
    void startedAtZeroNothingIsCompared() {
        for (InitialValues values : List.of(InitialValues.ZERO, InitialValues.random(1))) {
            Checker checker = new Checker(Profile.PAC_A10, ErrorPolicy.LOG);
            Rx rx = new Rx();
            Tx tx = new Tx();
            try (VerilatedAfu afu = compiled().open(Profile.PAC_A10, 1, values);
                    RtlCheck check = new RtlCheck(afu, checker)) {
                for (int cycle = 0; cycle < 40; cycle++) {
                    check.clock(cycle, tx, rx, new Answers());
                    tx.idle();
                    afu.clock(rx, tx);
                    rx.idle();
                    rx.softReset = cycle < RESET;
                    if (cycle == 30) {
                        rx.c0.mmioRead(0, MmioLength.BYTES_8, 0);
                    }
                }
            }
            assertThat(checker.count(Violation.TX_UNDEFINED)).isEqualTo(values.zero() ? 0 : 1);
        }
    }
}
