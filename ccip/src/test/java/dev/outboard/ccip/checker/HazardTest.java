package dev.outboard.ccip.checker;

import static dev.outboard.ccip.platform.Profile.INTEGRATED;
import static dev.outboard.ccip.platform.Profile.PAC_A10;
import static dev.outboard.ccip.wire.LineCount.FOUR;
import static dev.outboard.ccip.wire.LineCount.ONE;
import static dev.outboard.ccip.wire.ReadType.RDLINE_I;
import static dev.outboard.ccip.wire.VirtualChannel.VA;
import static dev.outboard.ccip.wire.VirtualChannel.VH0;
import static dev.outboard.ccip.wire.VirtualChannel.VH1;
import static dev.outboard.ccip.wire.VirtualChannel.VL0;
import static dev.outboard.ccip.wire.WriteType.WRLINE_I;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.testkit.Requirement;
import org.junit.jupiter.api.Test;

/// Accesses to a line of which CCI-P leaves the order open.
class HazardTest {
    private Port port = new Port(INTEGRATED);
    private long c0Requests;
    private long c1Requests;

    private void on(Profile profile) {
        port = new Port(profile);
        c0Requests = 0;
        c1Requests = 0;
    }

    private long write(VirtualChannel vc, long line) {
        port.c1(c1 -> c1.write(WRLINE_I, vc, ONE, line, 0));
        return c1Requests++;
    }

    private long burst(VirtualChannel vc, long line) {
        port.c1(c1 -> c1.write(WRLINE_I, vc, FOUR, line, 0));
        for (int i = 1; i < 4; i++) {
            long next = line + i;
            port.c1(c1 -> c1.writeNext(WRLINE_I, next));
        }
        return c1Requests++;
    }

    private long fence(VirtualChannel vc) {
        port.c1(c1 -> c1.fence(vc, 0));
        return c1Requests++;
    }

    private long read(VirtualChannel vc, long line) {
        port.c0(c0 -> c0.read(RDLINE_I, vc, ONE, line, 0));
        return c0Requests++;
    }

    private void written(long request, VirtualChannel used) {
        port.answer1(request, c1 -> c1.writeResponse(used, false, 0, 0));
    }

    private void fenced(long request) {
        port.answer1(request, c1 -> c1.fenceResponse(0));
    }

    private void wasRead(long request, VirtualChannel used) {
        port.answer0(request, c0 -> c0.readResponse(used, false, 0, 0));
    }

    @Test
    @Requirement({"CCIP-ORD-50", "CCIP-CHK-4"})
    void warnsOfAReadWhileTheWriteHasNoResponse() {
        write(VL0, 0x40);
        read(VL0, 0x40);
        Report report = port.reported(Violation.HAZ_RAW);
        assertThat(report.severity()).isEqualTo(Severity.WARNING);
        assertThat(report.detail()).isEqualTo("C1 request 0 is the write");
        assertThat(report.address()).isEqualTo(0x40);
    }

    @Test
    @Requirement("CCIP-ORD-50")
    void isContentWithTheResponseOnTheSameChannel() {
        written(write(VL0, 0x40), VL0);
        read(VL0, 0x40);
        written(write(VA, 0x50), VH1);
        read(VH1, 0x50);
        port.reportedNothing();
    }

    @Test
    @Requirement({"CCIP-ORD-50", "CCIP-ORD-55"})
    void warnsOfAReadOnAnotherChannelLongAfterTheResponse() {
        written(write(VL0, 0x40), VL0);
        port.idle(10_000);
        read(VH0, 0x40);
        port.reported(Violation.HAZ_RAW);
    }

    @Test
    @Requirement("CCIP-ORD-50")
    void takesVaForAnyChannel() {
        written(write(VH0, 0x40), VH0);
        read(VA, 0x40);
        port.reported(Violation.HAZ_RAW);
        on(INTEGRATED);
        written(write(VA, 0x40), VH0);
        read(VA, 0x40);
        port.reported(Violation.HAZ_RAW);
    }

    @Test
    @Requirement("CCIP-ORD-50")
    void isContentWithTheResponseOfAVaFence() {
        write(VL0, 0x40);
        write(VA, 0x50);
        long fence = fence(VA);
        fenced(fence);
        read(VH1, 0x40);
        read(VA, 0x50);
        port.reportedNothing();
    }

    @Test
    @Requirement("CCIP-ORD-50")
    void isNotContentWithAFenceThatIsNotAnswered() {
        write(VL0, 0x40);
        fence(VA);
        read(VL0, 0x40);
        port.reported(Violation.HAZ_RAW);
    }

    @Test
    @Requirement("CCIP-ORD-50")
    void doesNotLetAFenceCoverWhatComesAfterIt() {
        long fence = fence(VA);
        write(VL0, 0x40);
        fenced(fence);
        read(VL0, 0x40);
        port.reported(Violation.HAZ_RAW);
    }

    @Test
    @Requirement("CCIP-ORD-50")
    void takesTheFenceOfAChannelForItsWritesAndItsReads() {
        write(VL0, 0x40);
        fenced(fence(VL0));
        read(VL0, 0x40);
        port.reportedNothing();
        read(VH0, 0x40);
        port.reported(Violation.HAZ_RAW);
    }

    @Test
    @Requirement("CCIP-ORD-50")
    void needsNoMoreThanTheResponseWherePlatformsHaveOneLink() {
        on(PAC_A10);
        written(write(VA, 0x40), VH0);
        read(VA, 0x40);
        written(write(VH0, 0x40), VH0);
        port.reported(Violation.HAZ_WAR);
    }

    @Test
    @Requirement({"CCIP-ORD-51", "CCIP-CHK-4"})
    void warnsOfAWriteWhileTheReadHasNoResponse() {
        read(VL0, 0x40);
        write(VL0, 0x40);
        port.reported(Violation.HAZ_WAR);
        on(INTEGRATED);
        wasRead(read(VL0, 0x40), VL0);
        write(VH0, 0x40);
        port.reportedNothing();
    }

    @Test
    @Requirement("CCIP-ORD-51")
    void waitsForAllReadsOfALine() {
        long first = read(VL0, 0x40);
        read(VL0, 0x40);
        wasRead(first, VL0);
        write(VL0, 0x40);
        port.reported(Violation.HAZ_WAR);
    }

    @Test
    @Requirement({"CCIP-ORD-52", "CCIP-CHK-4"})
    void warnsOfAWriteWhileTheLastHasNoResponse() {
        write(VL0, 0x40);
        write(VL0, 0x40);
        port.reported(Violation.HAZ_WAW);
    }

    @Test
    @Requirement("CCIP-ORD-52")
    void isContentWithAResponseOrAFenceBetweenTwoWrites() {
        written(write(VL0, 0x40), VL0);
        write(VL0, 0x40);
        write(VH0, 0x50);
        fence(VA);
        write(VH1, 0x50);
        write(VH0, 0x60);
        fence(VH0);
        write(VH0, 0x60);
        port.reportedNothing();
    }

    @Test
    @Requirement("CCIP-ORD-52")
    void isNotContentWithAResponseOnAnotherChannelOrAnotherFence() {
        written(write(VL0, 0x40), VL0);
        write(VH0, 0x40);
        write(VA, 0x50);
        fence(VH0);
        write(VH0, 0x50);
        write(VL0, 0x60);
        fence(VH0);
        write(VL0, 0x60);
        port.reported(Violation.HAZ_WAW, Violation.HAZ_WAW, Violation.HAZ_WAW);
    }

    @Test
    @Requirement("CCIP-ORD-55")
    void watchesEveryLineOfARequest() {
        long burst = burst(VL0, 0x40);
        read(VL0, 0x43);
        port.answer0(0, c0 -> c0.readResponse(VL0, false, 0, 0));
        port.answer1(burst, c1 -> c1.packedWriteResponse(VL0, false, FOUR, 0));
        read(VL0, 0x42);
        port.reported(Violation.HAZ_RAW);
        on(INTEGRATED);
        port.c0(c0 -> c0.read(RDLINE_I, VL0, FOUR, 0x80, 0));
        port.answer0(0, c0 -> c0.readResponse(VL0, false, 2, 0));
        write(VL0, 0x82);
        port.reportedNothing();
        write(VL0, 0x81);
        port.reported(Violation.HAZ_WAR);
    }

    @Test
    @Requirement("CCIP-ORD-55")
    void remembersManyLines() {
        for (long line = 0; line < 5000; line++) {
            write(VL0, 3 * line);
        }
        for (long line = 0; line < 5000; line += 50) {
            read(VL0, 3 * line);
            read(VL0, 3 * line + 1);
        }
        assertThat(port.checker.count(Violation.HAZ_RAW)).isEqualTo(100);
    }

    @Test
    void forgetsNoOutstandingReadHoweverManyLinesAreWritten() {
        read(VL0, 0x7);
        for (long line = 0; line < 200_000; line++) {
            written(write(VL0, 0x100 + line), VL0);
        }
        port.reportedNothing();
        write(VL0, 0x7);
        port.reported(Violation.HAZ_WAR);
    }

    @Test
    @Requirement("CCIP-ORD-53")
    void tellsOfAFlagThatIsWrittenWithoutAFenceBehindItsData() {
        port.checker.markFlag(0x100);
        write(VA, 0x40);
        write(VA, 0x100);
        assertThat(port.reported(Violation.HAZ_FLAG_UNFENCED).address()).isEqualTo(0x100);
        on(INTEGRATED);
        port.checker.markFlag(0x100);
        write(VA, 0x40);
        fence(VA);
        write(VA, 0x100);
        port.reportedNothing();
    }

    @Test
    @Requirement("CCIP-ORD-53")
    void wantsTheFenceBehindAFlagToBeOneForAllChannels() {
        port.checker.markFlag(0x100);
        write(VH0, 0x40);
        fence(VH0);
        write(VH0, 0x100);
        port.reported(Violation.HAZ_FLAG_UNFENCED);
    }

    @Test
    @Requirement({"CCIP-ORD-54", "CCIP-INT-6"})
    void tellsOfAnInterruptWithoutAFenceBehindTheDataItAnnounces() {
        on(PAC_A10);
        write(VA, 0x40);
        port.c1(c1 -> c1.interrupt(VA, 0));
        assertThat(port.reported(Violation.HAZ_INTR_UNFENCED).severity()).isEqualTo(Severity.INFO);
        on(PAC_A10);
        write(VA, 0x40);
        fence(VA);
        port.c1(c1 -> c1.interrupt(VA, 0));
        port.reportedNothing();
    }

    @Test
    void keepsSilentWhereHazardsAreSwitchedOff() {
        for (Violation hazard :
                new Violation[] {Violation.HAZ_RAW, Violation.HAZ_WAR, Violation.HAZ_WAW}) {
            port.checker.severity(hazard, Severity.OFF);
        }
        write(VL0, 0x40);
        write(VL0, 0x40);
        read(VL0, 0x40);
        port.reportedNothing();
    }
}
