package dev.outboard.ccip.rtl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.outboard.ccip.checker.Answers;
import dev.outboard.ccip.checker.Channel;
import dev.outboard.ccip.checker.Checker;
import dev.outboard.ccip.checker.ErrorPolicy;
import dev.outboard.ccip.checker.Report;
import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.rtl.RtlException.Reason;
import dev.outboard.ccip.wire.MmioLength;
import dev.outboard.ccip.wire.PowerState;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// How an AFU in SystemVerilog behaves as an object in Java.
class VerilatedAfuTest {
    /// By the DWORD address of an MMIO read: 0 cycles since the reset, 1 a register that nothing
    /// sets, 2 the wires beside the structures, 3 what an MMIO write has left. Writes to 8 and 9
    /// end the simulation, one to 10 lets c1.valid follow c1TxAlmFull, one to 11 sends a request a
    /// thousand cycles later.
    private static final String BODY =
            """
            t_ccip_c0_ReqMmioHdr mmio;
            assign mmio = t_ccip_c0_ReqMmioHdr'(pck_cp2af_sRx.c0.hdr);
            logic [63:0] cycles;
            logic [63:0] never_set;
            logic [63:0] kept;
            logic [9:0] delay;
            logic loose;
            logic asked;
            assign pck_af2cp_sTx.c1 = {592'd0, loose && asked && !pck_cp2af_sRx.c1TxAlmFull};
            always_ff @(posedge pClk) begin
                cycles <= cycles + 1;
                asked <= cycles[3:0] == 0;
                pck_af2cp_sTx.c2.mmioRdValid <= pck_cp2af_sRx.c0.mmioRdValid;
                pck_af2cp_sTx.c2.hdr.tid <= mmio.tid;
                case (mmio.address)
                    0: pck_af2cp_sTx.c2.data <= cycles;
                    1: pck_af2cp_sTx.c2.data <= never_set;
                    2: pck_af2cp_sTx.c2.data <= 64'({pck_cp2af_error, pck_cp2af_pwrState});
                    default: pck_af2cp_sTx.c2.data <= kept;
                endcase
                delay <= delay == 0 ? 0 : delay - 1;
                pck_af2cp_sTx.c0.valid <= delay == 1;
                pck_af2cp_sTx.c0.hdr <= '0;
                if (pck_cp2af_sRx.c0.mmioWrValid) begin
                    case (mmio.address)
                        8: $fatal(1, "value %0d is too much", pck_cp2af_sRx.c0.data[31:0]);
                        9: $finish;
                        10: loose <= 1;
                        11: delay <= 1000;
                        default: kept <= pck_cp2af_sRx.c0.data[63:0];
                    endcase
                end
                if (pck_cp2af_softReset) begin
                    cycles <= 0;
                    kept <= 0;
                    loose <= 0;
                    delay <= 0;
                    asked <= 0;
                    pck_af2cp_sTx.c0.valid <= 0;
                    pck_af2cp_sTx.c2.mmioRdValid <= 0;
                end
            end
            """;

    static final int NEVER_SET = 1;
    private static final int BESIDE = 2;
    private static final int KEPT = 3;
    private static final int FATAL = 8;
    private static final int FINISH = 9;
    static final int LOOSE = 10;
    private static final int LATER = 11;

    private static VerilatedDesign design;

    private final Rx rx = new Rx();
    private final Tx tx = new Tx();

    @BeforeAll
    static void build() {
        design = compiled();
    }

    static VerilatedDesign compiled() {
        try {
            return Verilator.build().compile(Verilator.afu(VerilatedAfuTest.class, BODY));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// An AFU after its reset.
    private VerilatedAfu open(long seed) {
        VerilatedAfu afu = design.open(Profile.PAC_A10, seed);
        rx.softReset = true;
        for (int i = 0; i < 4; i++) {
            afu.clock(rx, tx);
        }
        rx.softReset = false;
        return afu;
    }

    private void idle(VerilatedAfu afu) {
        rx.idle();
        tx.idle();
        afu.clock(rx, tx);
    }

    private long read(VerilatedAfu afu, int address) {
        rx.idle();
        rx.c0.mmioRead(address, MmioLength.BYTES_8, 7);
        tx.idle();
        afu.clock(rx, tx);
        assertThat(tx.c2.mmioRdValid).isTrue();
        assertThat(tx.c2.tid).isEqualTo(7);
        return tx.c2.data;
    }

    private void write(VerilatedAfu afu, int address, long value) {
        rx.idle();
        rx.c0.mmioWrite(address, MmioLength.BYTES_8, 0);
        rx.c0.data[0] = value;
        tx.idle();
        afu.clock(rx, tx);
        rx.idle();
    }

    @Requirement("CCIP-RTL-4")
    @Test
    void anEdgeSamplesWhatTheWiresCarriedBeforeItAndDrivesWhatTheyCarryAfterIt() {
        try (VerilatedAfu afu = open(1)) {
            // The counter has been 0 before this edge, and is 1 before the next.
            assertThat(read(afu, 0)).isZero();
            assertThat(read(afu, 0)).isEqualTo(1);
            idle(afu);
            assertThat(tx.c2.mmioRdValid).isFalse();
            assertThat(read(afu, 0)).isEqualTo(3);
        }
    }

    @Requirement("CCIP-RTL-2")
    @Test
    void theWiresBesideTheStructuresArriveToo() {
        try (VerilatedAfu afu = open(1)) {
            assertThat(read(afu, BESIDE)).isZero();
            rx.powerState = PowerState.AP2;
            assertThat(read(afu, BESIDE)).isEqualTo(3);
            rx.error = true;
            rx.powerState = PowerState.AP1;
            assertThat(read(afu, BESIDE)).isEqualTo(5);
        }
    }

    @Requirement("CCIP-RTL-3")
    @Test
    void quietCyclesPassAtOnceAndEndWithTheFirstRequest() {
        try (VerilatedAfu afu = open(1)) {
            tx.idle();
            assertThat(afu.clockQuiet(rx, tx, 12345)).isEqualTo(12345);
            assertThat(read(afu, 0)).isEqualTo(12345);
            write(afu, LATER, 0);
            tx.idle();
            assertThat(afu.clockQuiet(rx, tx, 1_000_000)).isEqualTo(1000);
            assertThat(tx.c0.valid).isTrue();
            tx.idle();
            assertThat(afu.clockQuiet(rx, tx, 1)).isEqualTo(1);
            assertThat(tx.c0.valid).isFalse();
        }
    }

    @Requirement({"CCIP-RTL-6", "CCIP-MOD-5"})
    @Test
    void theSeedDecidesWhatRegistersHoldAtFirst() {
        Set<Long> values = new HashSet<>();
        for (long seed = 0; seed < 10; seed++) {
            try (VerilatedAfu afu = open(seed);
                    VerilatedAfu again = open(seed)) {
                long value = read(afu, NEVER_SET);
                assertThat(read(again, NEVER_SET)).isEqualTo(value);
                values.add(value);
            }
        }
        assertThat(values).hasSize(10);
    }

    @Requirement("CCIP-MOD-10")
    @Test
    void afusOfOneDesignShareNothing() {
        try (VerilatedAfu one = open(1);
                VerilatedAfu other = open(1)) {
            write(one, KEPT, 42);
            assertThat(read(other, KEPT)).isZero();
            assertThat(read(one, KEPT)).isEqualTo(42);
        }
    }

    @Test
    void aDesignThatEndsItselfThrowsWithFileLineAndWhatItPrinted() {
        try (VerilatedAfu afu = open(1)) {
            assertThatExceptionOfType(RtlException.class)
                    .isThrownBy(() -> write(afu, FATAL, 99))
                    .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.ENDED))
                    .withMessageContaining("ccip_std_afu.sv:38: ")
                    .withMessageContaining("value 99 is too much");
            // And stays so.
            assertThatExceptionOfType(RtlException.class).isThrownBy(() -> idle(afu));
            assertThatExceptionOfType(RtlException.class)
                    .isThrownBy(() -> afu.clockQuiet(rx, tx, 10));
        }
        try (VerilatedAfu afu = open(1)) {
            assertThatExceptionOfType(RtlException.class)
                    .isThrownBy(() -> write(afu, FINISH, 0))
                    .withMessageContaining("ccip_std_afu.sv:39: the design called $finish");
        }
    }

    @Test
    void aClosedAfuIsNotClocked() {
        VerilatedAfu afu = open(1);
        afu.close();
        afu.close();
        assertThatIllegalStateException()
                .isThrownBy(() -> idle(afu))
                .withMessage("the AFU of ccip_std_afu is closed");
        assertThatIllegalStateException().isThrownBy(afu::combinationalPath);
    }

    @Requirement("CCIP-RTL-7")
    @Test
    void anOutputThatFollowsAnInputWithoutAClockIsFound() {
        try (VerilatedAfu afu = open(1)) {
            for (int i = 0; i < 40; i++) {
                idle(afu);
                assertThat(afu.combinationalPath()).isEmpty();
            }
            write(afu, LOOSE, 0);
            Set<String> found = new HashSet<>();
            for (int i = 0; i < 40; i++) {
                idle(afu);
                afu.combinationalPath().ifPresent(found::add);
            }
            assertThat(found).containsExactly("c1.valid");
            // Looking has changed nothing.
            assertThat(read(afu, 0)).isEqualTo(81);
        }
    }

    @Requirement({"CCIP-RTL-6", "CCIP-RTL-7"})
    @Test
    void theCheckReportsEveryUndefinedBeatAndACombinationalPathOnce() {
        Checker checker = new Checker(Profile.PAC_A10, ErrorPolicy.LOG);
        try (VerilatedAfu afu = design.open(Profile.PAC_A10, 1);
                RtlCheck check = new RtlCheck(afu, checker)) {
            for (int cycle = 0; cycle < 200; cycle++) {
                check.clock(cycle, tx, rx, new Answers());
                tx.idle();
                afu.clock(rx, tx);
                rx.idle();
                rx.softReset = cycle < 10;
                if (cycle == 50 || cycle > 120) {
                    rx.c0.mmioRead(cycle == 50 ? KEPT : NEVER_SET, MmioLength.BYTES_8, 0);
                }
                if (cycle == 80) {
                    assertThat(checker.counts()).isEmpty();
                    rx.c0.mmioWrite(LOOSE, MmioLength.BYTES_8, 0);
                }
            }
        }
        assertThat(checker.count(Violation.TX_COMBINATIONAL)).isEqualTo(1);
        assertThat(checker.count(Violation.TX_UNDEFINED)).isEqualTo(77);
        assertThat(checker.reports().getFirst().toString())
                .contains("c1.valid follows pck_cp2af_sRx without an edge of pClk");
        Report first = checker.reports().get(1);
        assertThat(first.cycle()).isEqualTo(123);
        assertThat(first.channel()).isEqualTo(Channel.TX_C2);
        assertThat(first.header()).startsWith("MMIO read response tid 0x0 data 0x");
        assertThat(first.toString()).contains("c2.data depends on");
    }

    /// The hello world of Intel's tutorial is one of these designs.
    @Requirement("CCIP-RTL-8")
    @Test
    void aNumberWithoutASizeIsAsLongAsItNeeds() throws IOException {
        String body =
                """
                `define MAGIC 1311768467463790320
                assign pck_af2cp_sTx.c0 = '0;
                assign pck_af2cp_sTx.c1.valid = 1;
                assign pck_af2cp_sTx.c1.hdr = t_ccip_c1_ReqMemHdr'('h5_0000_0000_ABCD); // 'h5_0000
                assign pck_af2cp_sTx.c1.data = t_ccip_clData'('h0021646c726f77206f6c6c6548);
                assign pck_af2cp_sTx.c2.data = `MAGIC;
                assign {pck_af2cp_sTx.c2.hdr, pck_af2cp_sTx.c2.mmioRdValid} = '1;
                """;
        RtlDesign unsized = Verilator.afu("unsized-numbers", body);
        try (VerilatedAfu afu = Verilator.build().compile(unsized).open(Profile.PAC_A10, 1)) {
            idle(afu);
        }
        assertThat(tx.c1.data).startsWith(0x6f77206f6c6c6548L, 0x21646c72L, 0);
        assertThat(tx.c1.hdrLow).isEqualTo(0x5_0000_0000_ABCDL);
        assertThat(tx.c2.data).isEqualTo(1311768467463790320L);
    }

    @Requirement("CCIP-RTL-5")
    @Test
    void thePlatformNamesTheClockAndTheResetOfThePort() throws IOException {
        String body =
                """
                `include "platform_if.vh"
                logic [63:0] edges;
                assign pck_af2cp_sTx.c0 = '0;
                assign pck_af2cp_sTx.c1 = '0;
                assign pck_af2cp_sTx.c2.hdr = '0;
                assign pck_af2cp_sTx.c2.mmioRdValid = 1;
                assign pck_af2cp_sTx.c2.data = edges;
                always_ff @(posedge `PLATFORM_PARAM_CCI_P_CLOCK)
                    edges <= `PLATFORM_PARAM_CCI_P_RESET ? '0 : edges + 1;
                """;
        RtlDesign named = Verilator.afu("port-clock", body);
        try (VerilatedAfu afu = Verilator.build().compile(named).open(Profile.PAC_A10, 1)) {
            rx.softReset = true;
            idle(afu);
            assertThat(tx.c2.data).as("in reset").isZero();
            rx.softReset = false;
            for (int i = 0; i < 3; i++) {
                idle(afu);
            }
        }
        assertThat(tx.c2.data).isEqualTo(3);
    }

    @Test
    void aPortThatIsPartlyNotDrivenIsShownByFileAndLine() throws IOException {
        RtlDesign loose = Verilator.afu("not-driven", "assign pck_af2cp_sTx.c1 = '0;\n");
        assertThat(Verilator.build().compile(loose).warnings())
                .anySatisfy(warning -> {
                    assertThat(warning.code()).isEqualTo("UNDRIVEN");
                    assertThat(warning.line()).isEqualTo(12);
                    assertThat(warning.text()).contains("pck_af2cp_sTx");
                });
    }
}
