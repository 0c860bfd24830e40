package dev.outboard.ccip.checker;

import static dev.outboard.ccip.platform.Profile.PAC_A10;
import static dev.outboard.ccip.platform.Profile.PAC_D5005;
import static dev.outboard.ccip.wire.LineCount.FOUR;
import static dev.outboard.ccip.wire.LineCount.ONE;
import static dev.outboard.ccip.wire.LineCount.TWO;
import static dev.outboard.ccip.wire.ReadType.RDLINE_I;
import static dev.outboard.ccip.wire.VirtualChannel.VA;
import static dev.outboard.ccip.wire.VirtualChannel.VH0;
import static dev.outboard.ccip.wire.WriteType.WRLINE_I;
import static dev.outboard.ccip.wire.WriteType.WRPUSH_I;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.wire.C1Rx;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.testkit.Requirement;
import org.junit.jupiter.api.Test;

/// Writes of more than one line, and what may not come between their beats.
class BurstTest {
    private final Port port = new Port(PAC_D5005);

    private Port first(LineCount count, long line) {
        return port.c1(c1 -> c1.write(WRLINE_I, VA, count, line, 1));
    }

    private Port next(long line) {
        return port.c1(c1 -> c1.writeNext(WRLINE_I, line));
    }

    private void goesOnWithoutComplaint() {
        first(TWO, 0x100);
        next(0x101);
        port.c1(c1 -> c1.fence(VA, 0)).c1(c1 -> c1.interrupt(VA, 0));
    }

    @Test
    @Requirement({"CCIP-MCL-6", "CCIP-FLW-7", "CCIP-MCL-13"})
    void acceptsBurstsWithPausesAndReadsBetween() {
        first(FOUR, 0x40).idle(100);
        next(0x41);
        next(0x42).idle(3);
        port.c0(c0 -> c0.read(RDLINE_I, VA, FOUR, 0x80, 0));
        next(0x43);
        first(ONE, 0x44);
        first(TWO, 0x46);
        next(0x47);
        port.reportedNothing();
    }

    @Test
    @Requirement("CCIP-MCL-1")
    void reportsAWriteThatDoesNotBeginWithStartOfPacket() {
        next(0x40);
        port.reported(Violation.C1TX_SOP_MISSING);
    }

    @Test
    @Requirement("CCIP-MCL-1")
    void reportsABeatBeyondTheLast() {
        first(TWO, 0x40);
        next(0x41);
        next(0x42);
        port.reported(Violation.C1TX_SOP_MISSING);
    }

    @Test
    @Requirement({"CCIP-MCL-2", "CCIP-MCL-7", "CCIP-MCL-17"})
    void reportsAWriteInsideABurstOnceAndGoesOnWithIt() {
        first(FOUR, 0x40);
        next(0x41);
        first(TWO, 0x80);
        next(0x81);
        goesOnWithoutComplaint();
        port.reported(Violation.C1TX_SOP_IN_BURST);
    }

    @Test
    @Requirement({"CCIP-MCL-3", "CCIP-MCL-17"})
    void reportsALaterBeatWithAnotherAddressOnce() {
        first(FOUR, 0x40);
        next(0x42);
        next(0x43);
        next(0x40);
        goesOnWithoutComplaint();
        Report report = port.reported(Violation.C1TX_BEAT_ADDR);
        assertThat(report.header()).isEqualTo("WRLINE_I beat with address[1:0] 2");
        assertThat(report.request()).isZero();
    }

    @Test
    @Requirement("CCIP-MCL-3")
    void ignoresTheUpperAddressOfLaterBeats() {
        first(TWO, 0x40);
        port.c1(c1 -> {
            c1.writeNext(WRLINE_I, 1);
            c1.hdrLow |= 0x1234L << 18;
        });
        port.reportedNothing();
    }

    @Test
    @Requirement({"CCIP-MCL-4", "CCIP-MCL-17"})
    void reportsALaterBeatOfAnotherTypeOnce() {
        first(FOUR, 0x40);
        next(0x41);
        port.c1(c1 -> c1.writeNext(WRPUSH_I, 0x42));
        port.c1(c1 -> c1.writeNext(WRPUSH_I, 0x43));
        goesOnWithoutComplaint();
        port.reported(Violation.C1TX_BEAT_REQTYPE);
    }

    @Test
    @Requirement("CCIP-ENC-15")
    void reportsALaterBeatOfAReservedType() {
        first(TWO, 0x40);
        port.c1(c1 -> {
            c1.writeNext(WRLINE_I, 0x41);
            c1.hdrHigh |= 5;
        });
        port.reported(Violation.C1TX_BAD_REQTYPE);
    }

    @Test
    @Requirement("CCIP-MCL-5")
    void tellsOfChangedFieldsOnlyIfAsked() {
        port.checker.severity(Violation.C1TX_BEAT_FIELD_CHANGED, Severity.INFO);
        for (int changed : new int[] {1 << 4, 1 << 8, 0}) {
            first(TWO, 0x40);
            port.c1(c1 -> {
                c1.write(WRLINE_I, VA, TWO, 0x41, changed == 0 ? 2 : 1);
                c1.hdrHigh = (c1.hdrHigh ^ changed) & ~(1 << 7);
            });
            port.answer1(changed == 1 << 4 ? 0 : changed == 0 ? 2 : 1, this::packed);
        }
        port.reported(
                Violation.C1TX_BEAT_FIELD_CHANGED,
                Violation.C1TX_BEAT_FIELD_CHANGED,
                Violation.C1TX_BEAT_FIELD_CHANGED);
        assertThat(Violation.C1TX_BEAT_FIELD_CHANGED.severity()).isEqualTo(Severity.OFF);
    }

    private void packed(C1Rx c1) {
        c1.packedWriteResponse(VH0, false, TWO, 1);
    }

    @Test
    @Requirement({"CCIP-MCL-8", "CCIP-MCL-17"})
    void reportsAFenceInsideABurstOnce() {
        first(FOUR, 0x40);
        port.c1(c1 -> c1.fence(VA, 0));
        next(0x41);
        next(0x42);
        next(0x43);
        goesOnWithoutComplaint();
        port.reported(Violation.C1TX_FENCE_IN_BURST);
    }

    @Test
    @Requirement({"CCIP-MCL-9", "CCIP-INT-7", "CCIP-MCL-17"})
    void reportsAnInterruptInsideABurstOnce() {
        first(TWO, 0x40);
        port.c1(c1 -> c1.interrupt(VA, 1));
        next(0x41);
        goesOnWithoutComplaint();
        port.reported(Violation.C1TX_INTR_IN_BURST);
    }

    @Test
    @Requirement({"CCIP-MCL-10", "CCIP-MCL-17"})
    void reportsAByteWriteInsideABurstOnce() {
        first(FOUR, 0x40);
        port.c1(c1 -> c1.writeBytes(WRLINE_I, VA, 0x80, 0, 1, 1));
        next(0x41);
        next(0x42);
        goesOnWithoutComplaint();
        port.reported(Violation.C1TX_BYTE_IN_BURST);
    }

    @Test
    @Requirement("CCIP-MCL-10")
    void reportsALaterBeatInByteMode() {
        first(TWO, 0x40);
        port.c1(c1 -> {
            c1.writeNext(WRLINE_I, 0x41);
            c1.hdrHigh |= 1 << 6;
        });
        port.reported(Violation.C1TX_BYTE_IN_BURST);
    }

    @Test
    @Requirement("CCIP-MCL-11")
    void reportsABurstThatIsOpenAtTheEnd() {
        first(FOUR, 0x40);
        next(0x41);
        port.finish();
        Report report = port.reported(Violation.C1TX_BURST_INCOMPLETE);
        assertThat(report.severity()).isEqualTo(Severity.ERROR);
        assertThat(report.detail()).isEqualTo("2 beats are missing, and the run has ended");
    }

    @Test
    @Requirement("CCIP-MCL-11")
    void warnsOfABurstThatStandsStill() {
        first(TWO, 0x40).idle(65535).reportedNothing();
        assertThat(port.checker.nextCycle(port.cycle())).isEqualTo(port.cycle());
        port.step();
        assertThat(port.reported(Violation.C1TX_BURST_INCOMPLETE).severity())
                .isEqualTo(Severity.WARNING);
        next(0x41).idle(100_000).finish();
        port.reported(Violation.C1TX_BURST_INCOMPLETE, Violation.FIU_RSP_MISSING);
    }

    @Test
    @Requirement("CCIP-MCL-11")
    void tellsOnceOfABurstThatStandsStillUntilTheEnd() {
        first(TWO, 0x40).idle(70_000).finish();
        port.reported(Violation.C1TX_BURST_INCOMPLETE);
    }

    @Test
    @Requirement("CCIP-MCL-11")
    void letsAResetCutABurst() {
        first(FOUR, 0x40).reset(256).idle(1).reportedNothing();
        first(ONE, 0x80).reportedNothing();
        Port other = new Port(PAC_A10);
        other.c1(c1 -> c1.write(WRLINE_I, VA, FOUR, 0x40, 0)).reset(256).idle(70_000);
        other.finish().reportedNothing();
    }

    @Test
    @Requirement("CCIP-MCL-11")
    void missesNoBeatWhileAResetLasts() {
        first(FOUR, 0x40);
        port.rx.softReset = true;
        port.idle(70_000).finish().reportedNothing();
    }
}
