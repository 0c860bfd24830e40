package dev.outboard.ccip.checker;

import static dev.outboard.ccip.platform.Profile.PAC_A10;
import static dev.outboard.ccip.wire.LineCount.FOUR;
import static dev.outboard.ccip.wire.LineCount.ONE;
import static dev.outboard.ccip.wire.ReadType.RDLINE_I;
import static dev.outboard.ccip.wire.VirtualChannel.VA;
import static dev.outboard.ccip.wire.VirtualChannel.VH0;
import static dev.outboard.ccip.wire.WriteType.WRLINE_I;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.outboard.ccip.host.Simulation;
import dev.outboard.ccip.wire.PowerState;
import dev.outboard.testkit.Requirement;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What becomes of a violation once it is found.
class ReportingTest {
    private static void misalignedRead(Port port) {
        port.c0(c0 -> c0.read(RDLINE_I, VA, FOUR, 0x41, 7));
    }

    @Test
    @Requirement("CCIP-ERR-7")
    void stopsTheRunWithAllThatIsKnown() {
        Port port = new Port(PAC_A10, ErrorPolicy.STOP);
        assertThatExceptionOfType(ViolationException.class)
                .isThrownBy(() -> misalignedRead(port))
                .withMessageContaining("C0TX_MISALIGNED")
                .withMessageContaining("in cycle 257")
                .withMessageContaining("RDLINE_I VA 4 lines at 0x41 mdata 0x7")
                .withMessageContaining("[CCIP-HDR-21]")
                .satisfies(e -> assertThat(e.report().cycle()).isEqualTo(257));
    }

    @Test
    @Requirement("CCIP-ERR-7")
    void tellsTheFiuAndGoesOnAsHardwareDoes() {
        Port port = new Port(PAC_A10, ErrorPolicy.HARDWARE);
        List<Report> errors = new ArrayList<>();
        port.checker.onPortError(errors::add);
        misalignedRead(port);
        port.c0(c0 -> c0.hdrLow = 1L << 63);
        assertThat(errors).extracting(Report::violation).containsExactly(Violation.C0TX_MISALIGNED);
    }

    /// Tests run with assertions; a class loader without them is what users have.
    @Test
    @Requirement("CCIP-ERR-7")
    void stopsUnderTestAndDoesAsHardwareDoesOtherwise() throws Exception {
        assertThat(ErrorPolicy.byDefault()).isEqualTo(ErrorPolicy.STOP);
        assertThat(Erring.run()).isEqualTo("stops");
        URL[] classes = {
            ErrorPolicy.class.getProtectionDomain().getCodeSource().getLocation(),
            Erring.class.getProtectionDomain().getCodeSource().getLocation()
        };
        try (URLClassLoader outside =
                new URLClassLoader(classes, ClassLoader.getPlatformClassLoader())) {
            outside.setDefaultAssertionStatus(false);
            Method byDefault =
                    outside.loadClass(ErrorPolicy.class.getName()).getMethod("byDefault");
            assertThat(byDefault.invoke(null)).hasToString("HARDWARE");
            Method run = outside.loadClass(Erring.class.getName()).getMethod("run");
            assertThat(run.invoke(null)).isEqualTo("raises the error wire");
        }
    }

    /// A simulation of which nobody says what follows an error.
    public static final class Erring {
        private Erring() {}

        public static String run() {
            boolean[] raised = new boolean[1];
            Simulation simulation =
                    Simulation.of(
                                    PAC_A10,
                                    (rx, tx) -> {
                                        if (!rx.softReset && !raised[0]) {
                                            tx.c0.read(RDLINE_I, VA, FOUR, 0x41, 7);
                                        }
                                        raised[0] |= rx.error;
                                    })
                            .build();
            try {
                simulation.step(300);
            } catch (ViolationException _) {
                return "stops";
            }
            return raised[0] ? "raises the error wire" : "goes on";
        }
    }

    @Test
    @Requirement("CCIP-MOD-9")
    void stopsForAFaultOfTheFiuEvenWhereTheAfuMayErr() {
        Port port = new Port(PAC_A10, ErrorPolicy.HARDWARE);
        assertThatExceptionOfType(ViolationException.class)
                .isThrownBy(() -> port.answer1(0, c1 -> c1.fenceResponse(0)))
                .satisfies(e ->
                        assertThat(e.report().violation())
                                .isEqualTo(Violation.FIU_RSP_UNSOLICITED));
    }

    @Test
    @Requirement("CCIP-ERR-7")
    void keepsTheReportAndGoesOn() {
        Port port = new Port(PAC_A10, ErrorPolicy.LOG);
        List<Report> errors = new ArrayList<>();
        port.checker.onPortError(errors::add);
        misalignedRead(port);
        misalignedRead(port);
        assertThat(errors).isEmpty();
        assertThat(port.checker.reports())
                .extracting(Report::violation)
                .containsExactly(Violation.C0TX_MISALIGNED, Violation.C0TX_MISALIGNED);
    }

    @Test
    @Requirement({"CCIP-ERR-6", "CCIP-CHK-2"})
    void followsTheSeverityThatARunSets() {
        Port port = new Port(PAC_A10, ErrorPolicy.STOP);
        port.checker.severity(Violation.C0TX_MISALIGNED, Severity.WARNING);
        misalignedRead(port);
        assertThat(port.reported(Violation.C0TX_MISALIGNED).severity()).isEqualTo(Severity.WARNING);
        port.checker.severity(Violation.C0TX_MISALIGNED, Severity.OFF);
        misalignedRead(port);
        assertThat(port.checker.count(Violation.C0TX_MISALIGNED)).isEqualTo(1);
        port.checker.severity(Violation.C0TX_RSVD_NONZERO, Severity.ERROR);
        assertThatExceptionOfType(ViolationException.class)
                .isThrownBy(() ->
                        port.c0(c0 -> {
                            c0.read(RDLINE_I, VA, ONE, 0x40, 0);
                            c0.hdrLow |= 1L << 58;
                        }));
    }

    @Test
    @Requirement("CCIP-CHK-6")
    void countsAllAndKeepsTheFirstHundredOfEach() {
        Port port = new Port(PAC_A10);
        for (int i = 0; i < 1500; i++) {
            misalignedRead(port);
        }
        port.c2(5);
        assertThat(port.checker.count(Violation.C0TX_MISALIGNED)).isEqualTo(1500);
        assertThat(port.checker.reports()).hasSize(Checker.KEPT_REPORTS + 1);
        assertThat(port.checker.reports().getLast().violation())
                .isEqualTo(Violation.MMIO_RSP_UNSOLICITED);
    }

    @Test
    @Requirement("CCIP-SIG-4")
    void namesTheReservedBitsThatAreNot0() {
        Port port = new Port(PAC_A10);
        port.c0(c0 -> {
            c0.read(RDLINE_I, VA, ONE, 0x40, 0);
            c0.hdrLow |= 5L << 58;
            c0.hdrHigh |= 2 << 6;
        });
        port.c1(c1 -> {
            c1.fence(VA, 0);
            c1.hdrLow |= 1L << 63;
            c1.hdrHigh |= 1 << 4;
        });
        port.c1(c1 -> {
            c1.interrupt(VA, 3);
            c1.hdrLow |= 1L << 2;
            c1.hdrHigh |= 1 << 7 | 1 << 13 | 3 << 14;
        });
        assertThat(port.checker.reports())
                .extracting(Report::detail)
                .containsExactly(
                        "RSVD[71:70] is 0x2, RSVD[63:58] is 0x5",
                        "RSVD[69:68] is 0x1, RSVD[63:16] is 0x800000000000",
                        "RSVD[77:74] is 0x8, RSVD[71] is 0x1, RSVD[63:2] is 0x1");
    }

    @Test
    @Requirement("CCIP-CHK-5")
    void reportsFaultsOfAllChannelsInOneCycle() {
        Port port = new Port(PAC_A10);
        port.tx.c0.read(RDLINE_I, VA, FOUR, 0x41, 0);
        port.tx.c1.write(WRLINE_I, VA, FOUR, 0x82, 0);
        port.tx.c2.respond(5, 0);
        port.step();
        port.reported(
                Violation.C0TX_MISALIGNED,
                Violation.C1TX_MISALIGNED,
                Violation.MMIO_RSP_UNSOLICITED);
        assertThat(port.checker.reports()).extracting(Report::cycle).containsOnly(257L);
    }

    @Test
    @Requirement("CCIP-CHK-5")
    void reportsTheFaultsOfAChannelWhateverTheOthersCarry() {
        Port port = new Port(PAC_A10);
        for (int i = 0; i < 10; i++) {
            port.tx.c1.write(WRLINE_I, VA, ONE, 0x100 + i, 0);
            port.tx.c0.read(RDLINE_I, VA, i % 2 == 0 ? ONE : FOUR, 0x41 + 4 * i, 0);
            port.step();
        }
        assertThat(port.checker.count(Violation.C0TX_MISALIGNED)).isEqualTo(5);
    }

    @Test
    @Requirement("CCIP-ERR-8")
    void countsWhatIsSentAfterTheErrorSignal() {
        Port port = new Port(PAC_A10);
        port.rx.error = true;
        port.rx.c0TxAlmFull = true;
        port.rx.c1TxAlmFull = true;
        port.c0(c0 -> c0.read(RDLINE_I, VA, ONE, 0x40, 0)).reportedNothing();
        port.c0(c0 -> c0.read(RDLINE_I, VA, ONE, 0x80, 0));
        port.c1(c1 -> c1.write(WRLINE_I, VA, ONE, 0xC0, 0));
        assertThat(port.reported(Violation.TX_AFTER_ERROR, Violation.TX_AFTER_ERROR).severity())
                .isEqualTo(Severity.INFO);
    }

    /// The AFU takes no notice of the error, and the FIU completes what came before it.
    @Test
    @Requirement("CCIP-ERR-3")
    void letsWhatCameBeforeAnErrorBeAnsweredHoweverMuchIsSentAfterIt() {
        Port port = new Port(PAC_A10);
        port.c0(c0 -> c0.read(RDLINE_I, VA, ONE, 0x40, 0));
        port.c1(c1 -> c1.write(WRLINE_I, VA, ONE, 0x80, 0));
        port.rx.error = true;
        port.rx.c0TxAlmFull = true;
        port.rx.c1TxAlmFull = true;
        port.checker.severity(Violation.TX_AFTER_ERROR, Severity.OFF);
        port.checker.severity(Violation.C0TX_ALMFULL_OVERRUN, Severity.OFF);
        port.checker.severity(Violation.C1TX_ALMFULL_OVERRUN, Severity.OFF);
        for (int i = 0; i < 1000; i++) {
            port.tx.c0.read(RDLINE_I, VA, ONE, 0x1000 + i, 0);
            port.c1(c1 -> c1.fence(VA, 0));
        }
        port.answer0(0, c0 -> c0.readResponse(VH0, false, 0, 0));
        port.answer1(0, c1 -> c1.packedWriteResponse(VH0, false, ONE, 0));
        port.reportedNothing();
    }

    @Test
    @Requirement("CCIP-PWR-3")
    void tellsOfAnAfuThatDoesNotSavePower() {
        Port port = new Port(PAC_A10);
        readEvery(port, 2, PowerState.AP0);
        readEvery(port, 4, PowerState.AP1);
        readEvery(port, 20, PowerState.AP2);
        port.checker.severity(Violation.FIU_RSP_MISSING, Severity.OFF);
        port.finish().reportedNothing();
        Port eager = new Port(PAC_A10);
        readEvery(eager, 2, PowerState.AP0);
        readEvery(eager, 3, PowerState.AP1);
        eager.checker.severity(Violation.FIU_RSP_MISSING, Severity.OFF);
        eager.finish().reported(Violation.PWR_NOT_REDUCED);
    }

    private static void readEvery(Port port, int cycles, PowerState state) {
        port.rx.powerState = state;
        for (int i = 0; i < 20_000; i++) {
            if (i % cycles == 0) {
                port.tx.c0.read(RDLINE_I, VA, ONE, 0x40, 0);
            }
            port.step();
        }
    }
}
