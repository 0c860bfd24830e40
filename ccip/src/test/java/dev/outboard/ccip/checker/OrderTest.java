package dev.outboard.ccip.checker;

import static dev.outboard.ccip.checker.Violation.FIU_FENCE_EARLY;
import static dev.outboard.ccip.checker.Violation.FIU_READ_STALE;
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
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.testkit.Requirement;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// An FIU that tells, step by step, in which order it serves requests, and answers when it pleases.
@Requirement("CCIP-CHK-4")
class OrderTest {
    private static final long X = 0x40;
    private static final long Y = 0x80;

    private final Port port = new Port(INTEGRATED);

    @BeforeEach
    void leaveHazardsToOthers() {
        for (Violation hazard :
                new Violation[] {Violation.HAZ_RAW, Violation.HAZ_WAR, Violation.HAZ_WAW}) {
            port.checker.severity(hazard, Severity.OFF);
        }
    }

    private void write(VirtualChannel vc, LineCount count, long line) {
        port.c1(c1 -> c1.write(WRLINE_I, vc, count, line, 0));
        for (int i = 1; i < count.lines(); i++) {
            long next = line + i;
            port.c1(c1 -> c1.writeNext(WRLINE_I, next));
        }
    }

    private void commit(long request, int lines) {
        for (int i = 0; i < lines; i++) {
            port.checker.linesCommitted(request);
        }
    }

    private void wrote(long request, int line, VirtualChannel used) {
        port.checker.linesWritten(request, 1 << line, used.code());
    }

    private void answerWrite(long request, int line, VirtualChannel used) {
        port.answer1(request, c1 -> c1.writeResponse(used, false, line, 0));
    }

    private void answerFence(long request) {
        port.answer1(request, c1 -> c1.fenceResponse(0));
    }

    private void read(VirtualChannel vc, LineCount count, long line) {
        port.c0(c0 -> c0.read(RDLINE_I, vc, count, line, 0));
    }

    private void sample(long request, int line, VirtualChannel used) {
        port.checker.linesRead(request, 1 << line, used.code());
    }

    private void answerRead(long request, int line, VirtualChannel used) {
        port.answer0(request, c0 -> c0.readResponse(used, false, line, 0));
    }

    @Test
    @Requirement({"CCIP-ORD-24", "CCIP-ORD-26"})
    void reportsAFenceOfAllChannelsThatIsAnsweredBeforeAWriteIsInMemory() {
        write(VL0, TWO, X);
        port.c1(c1 -> c1.fence(VA, 0));
        commit(0, 2);
        wrote(0, 0, VL0);
        answerWrite(0, 0, VL0);
        answerWrite(0, 1, VL0);
        answerFence(1);
        port.reportedNothing();
        wrote(0, 1, VL0);
        Report report = port.reported(FIU_FENCE_EARLY);
        assertThat(report.request()).as("the fence").isEqualTo(1);
        assertThat(report.detail())
                .isEqualTo("C1 request 0 before the fence is in memory only now");
    }

    @Test
    @Requirement({"CCIP-ORD-23", "CCIP-ORD-26"})
    void reportsAFenceOfAChannelThatIsAnsweredBeforeAWriteIsCommitted() {
        write(VH1, FOUR, X);
        port.c1(c1 -> c1.fence(VH1, 0));
        commit(0, 3);
        answerFence(1);
        port.reportedNothing();
        commit(0, 1);
        port.reported(FIU_FENCE_EARLY);
    }

    @Test
    void reportsAFenceOnceHoweverManyLinesAreLate() {
        write(VH1, FOUR, X);
        port.c1(c1 -> c1.fence(VH1, 0));
        answerFence(1);
        commit(0, 4);
        port.reported(FIU_FENCE_EARLY);
    }

    @Test
    @Requirement("CCIP-ORD-21")
    void reportsAFenceThatIsAnsweredBeforeAnInterruptIsSentOn() {
        for (VirtualChannel scope : new VirtualChannel[] {VA, VH0}) {
            Port pac = new Port(PAC_A10);
            pac.c1(c1 -> c1.interrupt(VH0, 0)).c1(c1 -> c1.fence(scope, 0));
            pac.answer1(1, c1 -> c1.fenceResponse(0));
            pac.checker.linesCommitted(0);
            pac.reported(FIU_FENCE_EARLY);
        }
    }

    @Test
    @Requirement({"CCIP-ORD-23", "CCIP-ORD-25", "CCIP-ORD-31"})
    void acceptsThatAFenceOfAChannelWaitsForNothingElse() {
        write(VL0, ONE, X);
        write(VA, ONE, X + 1);
        write(VH1, ONE, X + 2);
        port.c1(c1 -> c1.fence(VH1, 0));
        write(VH1, ONE, X + 3);
        commit(2, 1);
        answerFence(3);
        commit(0, 1);
        commit(1, 1);
        commit(4, 1);
        wrote(2, 0, VH1);
        port.reportedNothing();
    }

    @Test
    @Requirement({"CCIP-ORD-26", "CCIP-ORD-29"})
    void acceptsAFenceThatIsAnsweredBeforeTheWritesThatItWaitedFor() {
        write(VH0, ONE, X);
        port.c1(c1 -> c1.fence(VA, 0));
        write(VH0, ONE, Y);
        commit(0, 1);
        wrote(0, 0, VH0);
        answerFence(1);
        answerWrite(0, 0, VH0);
        commit(2, 1);
        wrote(2, 0, VH0);
        answerWrite(2, 0, VH0);
        port.reportedNothing();
    }

    @Test
    @Requirement("CCIP-ORD-11")
    void reportsAReadThatPassesAnAnsweredWriteOfItsLineAndChannel() {
        write(VL0, ONE, X);
        commit(0, 1);
        answerWrite(0, 0, VL0);
        read(VL0, TWO, X);
        sample(0, 1, VL0);
        port.reportedNothing();
        sample(0, 0, VL0);
        Report report = port.reported(FIU_READ_STALE);
        assertThat(report.request()).isZero();
        assertThat(report.address()).isEqualTo(X);
        assertThat(report.detail()).isEqualTo("C1 request 0, answered before, is not in memory");
    }

    @Test
    @Requirement({"CCIP-ORD-11", "CCIP-ORD-37"})
    void reportsAReadThatPassesALineOfAPackedWrite() {
        write(VA, FOUR, X);
        commit(0, 4);
        for (int line = 0; line < 3; line++) {
            wrote(0, line, VH1);
        }
        port.answer1(0, c1 -> c1.packedWriteResponse(VH1, false, FOUR, 0));
        read(VH1, FOUR, X);
        for (int line = 0; line < 3; line++) {
            sample(0, line, VH1);
        }
        port.reportedNothing();
        sample(0, 3, VH1);
        assertThat(port.reported(FIU_READ_STALE).address()).isEqualTo(X + 3);
    }

    @Test
    @Requirement({"CCIP-ORD-13", "CCIP-ORD-16", "CCIP-ORD-43"})
    void acceptsAReadThatIsNotOrderedBehindTheWrite() {
        write(VL0, ONE, X);
        commit(0, 1);
        read(VL0, ONE, X); // before the response
        port.tx.c0.read(RDLINE_I, VL0, ONE, X, 0); // before the AFU could know of it
        answerWrite(0, 0, VL0);
        read(VH0, ONE, X); // on another channel
        read(VL0, ONE, Y); // of another line
        sample(0, 0, VL0);
        sample(1, 0, VL0);
        sample(2, 0, VH0);
        sample(3, 0, VL0);
        wrote(0, 0, VL0);
        read(VL0, ONE, X);
        sample(4, 0, VL0);
        port.reportedNothing();
    }

    @Test
    @Requirement({"CCIP-ORD-41", "CCIP-ORD-47"})
    void reportsDataThatArriveAfterNewerOnesOnTheSameChannel() {
        read(VH0, ONE, X);
        read(VH0, ONE, X);
        sample(0, 0, VH0);
        sample(1, 0, VH0);
        answerRead(1, 0, VH0);
        port.reportedNothing();
        answerRead(0, 0, VH0);
        Report report = port.reported(FIU_READ_STALE);
        assertThat(report.request()).isZero();
        assertThat(report.detail()).isEqualTo("C0 request 1 brought newer data before");
    }

    @Test
    @Requirement({"CCIP-ORD-40", "CCIP-ORD-41", "CCIP-RSP-3"})
    void acceptsEveryOtherOrderOfReads() {
        read(VH0, FOUR, X);
        read(VH0, ONE, X);
        read(VH1, ONE, X);
        for (int line = 0; line < 4; line++) {
            sample(0, line, VH0);
        }
        sample(2, 0, VH1);
        sample(1, 0, VH0);
        answerRead(0, 3, VH0); // other lines
        answerRead(0, 0, VH0);
        answerRead(1, 0, VH0);
        answerRead(0, 2, VH0);
        answerRead(0, 1, VH0);
        answerRead(2, 0, VH1); // another channel
        read(VH0, ONE, X);
        read(VH0, ONE, X);
        sample(4, 0, VH0); // swapped on the way up: the last holds the newest
        sample(3, 0, VH0);
        answerRead(4, 0, VH0);
        answerRead(3, 0, VH0);
        port.finish().reportedNothing();
    }

    @Test
    @Requirement("CCIP-RST-3")
    void forgetsWithAResetWhatIsInFlight() {
        write(VL0, ONE, X);
        commit(0, 1);
        answerWrite(0, 0, VL0);
        read(VL0, ONE, Y);
        sample(0, 0, VL0);
        port.reset(Checker.RESET_CYCLES);
        read(VL0, ONE, X);
        read(VL0, ONE, Y);
        sample(1, 0, VL0);
        sample(2, 0, VL0);
        answerRead(2, 0, VL0);
        answerRead(1, 0, VL0);
        port.reportedNothing();
    }

    @Test
    void keepsAccountOfAsManyLinesAsThereAre() {
        int requests = 4000;
        for (int i = 0; i < requests; i++) {
            write(VL0, ONE, X + i);
            commit(i, 1);
            answerWrite(i, 0, VL0);
            read(VL0, ONE, X + requests + i);
            sample(i, 0, VL0);
            if (i % 3 == 2) {
                wrote(i - 1, 0, VL0);
                answerRead(i - 1, 0, VL0);
            }
        }
        port.reportedNothing();
        read(VL0, ONE, X + requests - 4);
        sample(requests, 0, VL0);
        assertThat(port.reported(FIU_READ_STALE).detail()).contains("C1 request 3996,");
    }
}
