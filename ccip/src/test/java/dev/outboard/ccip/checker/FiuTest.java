package dev.outboard.ccip.checker;

import static dev.outboard.ccip.checker.Violation.FIU_CL_NUM;
import static dev.outboard.ccip.checker.Violation.FIU_MDATA;
import static dev.outboard.ccip.checker.Violation.FIU_RSP_COUNT;
import static dev.outboard.ccip.checker.Violation.FIU_RSP_EARLY;
import static dev.outboard.ccip.checker.Violation.FIU_RSP_MISSING;
import static dev.outboard.ccip.checker.Violation.FIU_RSP_UNSOLICITED;
import static dev.outboard.ccip.checker.Violation.FIU_VC_USED;
import static dev.outboard.ccip.platform.Profile.INTEGRATED;
import static dev.outboard.ccip.platform.Profile.PAC_A10;
import static dev.outboard.ccip.wire.LineCount.FOUR;
import static dev.outboard.ccip.wire.LineCount.ONE;
import static dev.outboard.ccip.wire.LineCount.TWO;
import static dev.outboard.ccip.wire.ReadType.RDLINE_I;
import static dev.outboard.ccip.wire.VirtualChannel.VA;
import static dev.outboard.ccip.wire.VirtualChannel.VH0;
import static dev.outboard.ccip.wire.VirtualChannel.VH1;
import static dev.outboard.ccip.wire.VirtualChannel.VL0;
import static dev.outboard.ccip.wire.WriteType.WRLINE_I;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.MmioLength;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.testkit.Requirement;
import org.junit.jupiter.api.Test;

/// Faults of the FIU itself, which must not pass as those of an AFU.
@Requirement({"CCIP-CHK-4", "CCIP-MOD-9"})
class FiuTest {
    private static final int MDATA = 0xBEEF;

    private final Port port = new Port(INTEGRATED);

    private Port read(VirtualChannel vc, LineCount count) {
        return port.c0(c0 -> c0.read(RDLINE_I, vc, count, 0x40, MDATA));
    }

    private Port write(VirtualChannel vc, LineCount count) {
        port.c1(c1 -> c1.write(WRLINE_I, vc, count, 0x80, MDATA));
        for (int i = 1; i < count.lines(); i++) {
            long next = 0x80L + i;
            port.c1(c1 -> c1.writeNext(WRLINE_I, next));
        }
        return port;
    }

    private Port readLine(long request, VirtualChannel used, int line) {
        return port.answer0(request, c0 -> c0.readResponse(used, false, line, MDATA));
    }

    private Port wroteLine(long request, VirtualChannel used, int line) {
        return port.answer1(request, c1 -> c1.writeResponse(used, false, line, MDATA));
    }

    @Test
    void acceptsAnyOrderOfResponsesAndBothFormats() {
        read(VA, FOUR);
        read(VL0, ONE);
        readLine(1, VL0, 0);
        for (int line : new int[] {3, 0, 2, 1}) {
            readLine(0, VH1, line);
        }
        write(VA, FOUR).c1(c1 -> c1.fence(VA, 5));
        write(VH0, TWO).answer1(1, c1 -> c1.fenceResponse(5));
        port.answer1(2, c1 -> c1.packedWriteResponse(VH0, false, TWO, MDATA));
        for (int line : new int[] {2, 1, 3, 0}) {
            wroteLine(0, VL0, line);
        }
        port.rx0(c0 -> c0.umsg(true, 3)).rx0(c0 -> c0.umsg(false, 3));
        port.finish().reportedNothing();
    }

    @Test
    void reportsTwoValidWiresOnRxC0() {
        port.rx.c0.mmioWrite(0, MmioLength.BYTES_8, 0);
        port.rx.c0.umsg(true, 0);
        port.step().reported(Violation.FIU_C0RX_MULTI_VALID);
    }

    @Test
    void reportsResponsesToNothing() {
        readLine(Answers.NONE, VL0, 0);
        readLine(0, VL0, 0);
        wroteLine(Answers.NONE, VL0, 0);
        wroteLine(7, VL0, 0);
        port.reported(
                FIU_RSP_UNSOLICITED, FIU_RSP_UNSOLICITED, FIU_RSP_UNSOLICITED, FIU_RSP_UNSOLICITED);
    }

    @Test
    void reportsResponsesOfAnotherType() {
        write(VL0, ONE).answer1(0, c1 -> c1.fenceResponse(MDATA));
        read(VL0, ONE);
        port.answer0(
                0,
                c0 -> {
                    c0.readResponse(VL0, false, 0, MDATA);
                    c0.hdr |= 1 << 16;
                });
        port.reported(FIU_RSP_UNSOLICITED, FIU_RSP_UNSOLICITED);
    }

    @Test
    void reportsAUmsgWhereThereIsNone() {
        Port pac = new Port(PAC_A10);
        pac.rx0(c0 -> c0.umsg(false, 1)).reported(FIU_RSP_UNSOLICITED);
    }

    @Test
    void reportsMissingResponses() {
        read(VL0, TWO);
        write(VL0, TWO).c1(c1 -> c1.fence(VA, 0));
        readLine(0, VL0, 1);
        wroteLine(0, VL0, 1);
        assertThat(port.checker.outstanding(10))
                .containsExactly(
                        "C0 request 0: read of line 0x40",
                        "C1 request 0: write of line 0x80",
                        "C1 request 1: fence");
        port.idle(Checker.RESPONSE_CYCLES).finish();
        port.reported(FIU_RSP_MISSING, FIU_RSP_MISSING, FIU_RSP_MISSING);
    }

    @Test
    void missesNothingThatHadNoTimeToBeAnswered() {
        read(VL0, TWO);
        port.idle(Checker.RESPONSE_CYCLES - 1).finish().reportedNothing();
    }

    @Test
    void findsTheOneMissingResponseAmongManyRequests() {
        for (int i = 0; i < 5000; i++) {
            int request = i;
            port.c0(c0 -> c0.read(RDLINE_I, VL0, ONE, 0x1000 + request, MDATA));
            if (i != 1234) {
                readLine(i, VL0, 0);
            }
        }
        port.reportedNothing();
        port.idle(Checker.RESPONSE_CYCLES).finish();
        assertThat(port.reported(FIU_RSP_MISSING).request()).isEqualTo(1234);
    }

    @Test
    void reportsAResponseBeforeTheBeatItAnswers() {
        port.c1(c1 -> c1.write(WRLINE_I, VL0, TWO, 0x40, MDATA));
        wroteLine(0, VL0, 1).reported(FIU_RSP_EARLY);
        port.answer1(0, c1 -> c1.packedWriteResponse(VL0, false, TWO, MDATA));
        port.reported(FIU_RSP_EARLY, FIU_RSP_EARLY);
        port.tx.c1.writeNext(WRLINE_I, 0x41);
        wroteLine(0, VL0, 1).reported(FIU_RSP_EARLY, FIU_RSP_EARLY, FIU_RSP_EARLY);
        wroteLine(0, VL0, 1);
        wroteLine(0, VL0, 0).finish();
        port.reported(FIU_RSP_EARLY, FIU_RSP_EARLY, FIU_RSP_EARLY);
    }

    @Test
    void acceptsTheResponseToALineWhileOthersAreToCome() {
        port.c1(c1 -> c1.write(WRLINE_I, VL0, TWO, 0x40, MDATA));
        wroteLine(0, VL0, 0).c1(c1 -> c1.writeNext(WRLINE_I, 0x41));
        wroteLine(0, VL0, 1).finish().reportedNothing();
    }

    @Test
    void reportsAResponseInTheCycleOfTheRequest() {
        port.tx.c0.read(RDLINE_I, VL0, ONE, 0x40, MDATA);
        readLine(0, VL0, 0);
        port.reported(FIU_RSP_EARLY);
    }

    @Test
    void reportsMoreResponsesThanLines() {
        read(VL0, ONE);
        readLine(0, VL0, 0);
        readLine(0, VL0, 0);
        write(VL0, ONE).answer1(0, c1 -> c1.packedWriteResponse(VL0, false, ONE, MDATA));
        wroteLine(0, VL0, 0);
        port.reported(FIU_RSP_COUNT, FIU_RSP_COUNT);
    }

    @Test
    void reportsAPackedResponseAfterAnUnpackedOne() {
        write(VL0, TWO);
        wroteLine(0, VL0, 0);
        port.answer1(0, c1 -> c1.packedWriteResponse(VL0, false, TWO, MDATA));
        port.reported(FIU_RSP_COUNT);
    }

    @Test
    void reportsAnotherMdataOrInterruptId() {
        read(VL0, ONE).answer0(0, c0 -> c0.readResponse(VL0, false, 0, 1));
        write(VL0, ONE).answer1(0, c1 -> c1.writeResponse(VL0, false, 0, 1));
        port.c1(c1 -> c1.fence(VA, 5)).answer1(1, c1 -> c1.fenceResponse(4));
        port.finish().reported(FIU_MDATA, FIU_MDATA, FIU_MDATA);
        Port pac = new Port(PAC_A10);
        pac.c1(c1 -> c1.interrupt(VA, 2)).answer1(0, c1 -> c1.interruptResponse(VH0, 1));
        pac.reported(FIU_MDATA);
    }

    @Test
    void reportsAChannelThatWasNotAskedFor() {
        read(VL0, ONE);
        readLine(0, VH0, 0);
        write(VH1, ONE);
        wroteLine(0, VL0, 0);
        port.reported(FIU_VC_USED, FIU_VC_USED);
    }

    @Test
    void reportsAChannelThatIsNoLink() {
        read(VA, ONE);
        readLine(0, VA, 0);
        port.reported(FIU_VC_USED);
        Port pac = new Port(PAC_A10);
        pac.c0(c0 -> c0.read(RDLINE_I, VA, ONE, 0x40, MDATA));
        pac.answer0(0, c0 -> c0.readResponse(VL0, false, 0, MDATA)).reported(FIU_VC_USED);
    }

    @Test
    void reportsLinesOfARequestOnTwoChannels() {
        read(VA, TWO);
        readLine(0, VL0, 0);
        readLine(0, VH0, 1);
        write(VA, TWO);
        wroteLine(0, VH0, 0);
        wroteLine(0, VH1, 1);
        port.reported(FIU_VC_USED, FIU_VC_USED);
    }

    @Test
    void reportsAHitWhereThereIsNoCache() {
        read(VH0, ONE).answer0(0, c0 -> c0.readResponse(VH0, true, 0, MDATA));
        port.reported(FIU_VC_USED);
        read(VL0, ONE).answer0(1, c0 -> c0.readResponse(VL0, true, 0, MDATA));
        port.reported(FIU_VC_USED);
    }

    @Test
    void reportsALineThatIsNotInTheRequestOrWasAnswered() {
        read(VL0, TWO);
        readLine(0, VL0, 2);
        readLine(0, VL0, 1);
        readLine(0, VL0, 1);
        write(VL0, TWO);
        wroteLine(0, VL0, 3);
        port.reported(FIU_CL_NUM, FIU_CL_NUM, FIU_CL_NUM);
    }

    @Test
    void reportsAPackedResponseOfAnotherSize() {
        write(VL0, TWO).answer1(0, c1 -> c1.packedWriteResponse(VL0, false, FOUR, MDATA));
        port.finish().reported(FIU_CL_NUM);
    }

    @Test
    void reportsRequestsThatAreAnsweredAlthoughTheErrorSignalWasUp() {
        port.rx.error = true;
        port.rx.c0TxAlmFull = true;
        port.rx.c1TxAlmFull = true;
        read(VL0, ONE);
        readLine(0, VL0, 0);
        write(VL0, ONE);
        wroteLine(0, VL0, 0);
        port.checker.finish(port.cycle());
        assertThat(port.checker.count(Violation.FIU_ACCEPT_AFTER_ERROR)).isEqualTo(2);
    }

    @Test
    void reportsAnAlmostFullWireThatIsDownDuringAnError() {
        port.rx.error = true;
        port.rx.c0TxAlmFull = true;
        port.step().reported(Violation.FIU_ACCEPT_AFTER_ERROR);
    }

    @Test
    void letsAnErrorLeaveRequestsUnanswered() {
        read(VL0, ONE);
        write(VL0, ONE);
        port.rx.error = true;
        port.rx.c0TxAlmFull = true;
        port.rx.c1TxAlmFull = true;
        port.idle(10);
        readLine(0, VL0, 0);
        port.finish().reportedNothing();
    }

    @Test
    void expectsNoAnswerToARequestThatTheFiuRefused() {
        read(VL0, ONE);
        port.checker.report(
                Violation.MEM_UNMAPPED, Channel.TX_C0, port.cycle(), "", 0, 0x40, "no mapping");
        port.finish();
        port.reported(Violation.MEM_UNMAPPED);
        port.c1(c1 -> c1.write(WRLINE_I, VL0, ONE, 0x40, 0));
        port.reported(Violation.MEM_UNMAPPED);
    }

    @Test
    void expectsNoAnswerToAFaultyRequest() {
        port.c0(c0 -> c0.read(RDLINE_I, VL0, FOUR, 0x41, 0));
        port.c1(c1 -> c1.write(WRLINE_I, VL0, FOUR, 0x41, 0));
        for (int i = 0; i < 3; i++) {
            port.c1(c1 -> c1.writeNext(WRLINE_I, 0));
        }
        port.finish();
        port.reported(Violation.C0TX_MISALIGNED, Violation.C1TX_MISALIGNED);
    }
}
