package dev.outboard.ccip.checker;

import static dev.outboard.ccip.platform.Profile.PAC_A10;
import static dev.outboard.ccip.wire.LineCount.ONE;
import static dev.outboard.ccip.wire.ReadType.RDLINE_I;
import static dev.outboard.ccip.wire.VirtualChannel.VA;
import static dev.outboard.ccip.wire.VirtualChannel.VH0;
import static dev.outboard.ccip.wire.WriteType.WRLINE_I;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.wire.MmioLength;
import dev.outboard.testkit.Requirement;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/// What a reset asks of the AFU, and of the FIU.
class ResetTest {
    private final Port port = new Port(PAC_A10.withMmioTimeout(512));

    private void read() {
        port.tx.c0.read(RDLINE_I, VA, ONE, 0x40, 0);
    }

    private void write() {
        port.tx.c1.write(WRLINE_I, VA, ONE, 0x80, 0);
    }

    /// Drives something in the cycle with this number of a reset, from 0.
    private void inResetCycle(int cycle, Runnable drive) {
        port.rx.softReset = true;
        port.idle(cycle);
        drive.run();
        port.idle(300 - cycle);
        port.rx.softReset = false;
        port.idle(10);
    }

    @Test
    @Requirement({"CCIP-RST-5", "CCIP-CHK-4"})
    void warnsOfRequestsAfterTheGraceOfAReset() {
        inResetCycle(17, this::read);
        assertThat(port.reported(Violation.C0TX_DURING_RESET).severity())
                .isEqualTo(Severity.WARNING);
        Port other = new Port(PAC_A10);
        other.rx.softReset = true;
        other.idle(17).c1(c1 -> c1.write(WRLINE_I, VA, ONE, 0x40, 0));
        other.reported(Violation.C1TX_DURING_RESET);
    }

    @Test
    @Requirement({"CCIP-RST-5", "CCIP-CHK-4"})
    void warnsOfAnMmioResponseAfterTheGraceOfAReset() {
        port.rx0(c0 -> c0.mmioRead(0, MmioLength.BYTES_8, 5));
        inResetCycle(17, () -> port.tx.c2.respond(5, 0));
        port.reported(Violation.MMIO_RSP_DURING_RESET);
    }

    @Test
    @Requirement("CCIP-RST-5")
    void allowsSixteenCyclesForRegistersToClear() {
        inResetCycle(0, this::read);
        inResetCycle(
                16,
                () -> {
                    read();
                    write();
                    port.tx.c1.hdrHigh |= 5;
                    port.tx.c2.respond(3, 0);
                });
        port.reportedNothing();
    }

    @Test
    @Requirement("CCIP-RST-5")
    void expectsQuietUntilTheAfuSeesTheEndOfTheReset() {
        port.rx.softReset = true;
        port.idle(256);
        port.rx.softReset = false;
        read();
        port.step();
        port.reported(Violation.C0TX_DURING_RESET);
        read();
        port.step();
        port.reported(Violation.C0TX_DURING_RESET);
    }

    @Test
    @Requirement("CCIP-RST-9")
    void takesNoNoticeOfTxBeforeTheFirstReset() {
        Checker checker = new Checker(PAC_A10, ErrorPolicy.STOP);
        port.rx.softReset = true;
        port.tx.c0.valid = true;
        port.tx.c0.hdrHigh = 0xF;
        port.tx.c1.valid = true;
        port.tx.c2.mmioRdValid = true;
        checker.clock(0, port.tx, port.rx, new Answers());
        assertThat(checker.counts()).isEmpty();
    }

    @Test
    @Requirement("CCIP-CHK-4")
    void reportsAResetThatIsTooShort() {
        port.reset(255);
        assertThat(port.reported(Violation.FIU_RESET_SHORT).detail()).isEqualTo("it lasted 255");
    }

    @Test
    @Requirement("CCIP-CHK-4")
    void reportsAResponseThatOutlivesTheReset() {
        read();
        write();
        port.step().reset(256);
        port.answer0(0, c0 -> c0.readResponse(VH0, false, 0, 0));
        port.answer1(0, c1 -> c1.writeResponse(VH0, false, 0, 0));
        port.reported(Violation.FIU_RESET_UNFLUSHED, Violation.FIU_RESET_UNFLUSHED);
    }

    @Test
    @Requirement("CCIP-RST-6")
    void allowsResponsesWhileTheResetLastsAndNoneAfter() {
        read();
        write();
        port.step();
        port.rx.softReset = true;
        port.answer0(0, c0 -> c0.readResponse(VH0, false, 0, 0)).idle(300);
        port.rx.softReset = false;
        port.idle(2).finish();
        port.reportedNothing();
    }

    @Test
    void reportsAResponseToARequestThatWasSentInReset() {
        port.rx.softReset = true;
        port.idle(10);
        read();
        port.step();
        port.answer0(0, c0 -> c0.readResponse(VH0, false, 0, 0));
        port.reported(Violation.FIU_RSP_UNSOLICITED);
    }

    @Test
    @Requirement("CCIP-MMIO-15")
    void countsAResponseToAReadFromBeforeTheResetAsUnsolicited() {
        port.rx0(c0 -> c0.mmioRead(0, MmioLength.BYTES_8, 5)).reset(256).c2(5);
        port.reported(Violation.MMIO_RSP_UNSOLICITED);
    }

    @Test
    @Requirement("CCIP-RST-7")
    void expectsAnAnswerToAReadDirectlyAfterTheReset() {
        port.rx.softReset = true;
        port.idle(256);
        port.rx.softReset = false;
        port.rx0(c0 -> c0.mmioRead(2, MmioLength.BYTES_8, 1)).idle(511).reportedNothing();
        port.step().reported(Violation.MMIO_RSP_TIMEOUT);
    }

    @Test
    void forgetsHazardsAtAReset() {
        Consumer<Port> writeAndRead =
                p -> {
                    p.c1(c1 -> c1.write(WRLINE_I, VA, ONE, 0x40, 0));
                    p.reset(256).c0(c0 -> c0.read(RDLINE_I, VA, ONE, 0x40, 0));
                };
        writeAndRead.accept(port);
        port.reportedNothing();
    }
}
