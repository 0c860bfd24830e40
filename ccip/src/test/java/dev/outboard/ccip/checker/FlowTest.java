package dev.outboard.ccip.checker;

import static dev.outboard.ccip.platform.Profile.PAC_A10;
import static dev.outboard.ccip.wire.LineCount.FOUR;
import static dev.outboard.ccip.wire.LineCount.ONE;
import static dev.outboard.ccip.wire.ReadType.RDLINE_I;
import static dev.outboard.ccip.wire.VirtualChannel.VA;
import static dev.outboard.ccip.wire.WriteType.WRLINE_I;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import org.junit.jupiter.api.Test;

/// Almost-full: from the edge at which the AFU can sample it, eight beats.
class FlowTest {
    private final Port port = new Port(PAC_A10);
    private long line = 0x1000;

    private void reads(int count) {
        for (int i = 0; i < count; i++) {
            port.c0(c0 -> c0.read(RDLINE_I, VA, ONE, line++, 0));
        }
    }

    private void writes(int count) {
        for (int i = 0; i < count; i++) {
            port.c1(c1 -> c1.write(WRLINE_I, VA, ONE, line++, 0));
        }
    }

    @Test
    @Requirement({"CCIP-FLW-2", "CCIP-FLW-4"})
    void reportsTheNinthReadAfterAlmostFullCouldBeSampled() {
        port.rx.c0TxAlmFull = true;
        reads(1); // driven before the AFU could know
        reads(8);
        port.reportedNothing();
        reads(1);
        assertThat(port.reported(Violation.C0TX_ALMFULL_OVERRUN).request()).isEqualTo(9);
    }

    @Test
    @Requirement("CCIP-FLW-4")
    void countsAnewOnceAlmostFullWasSampledAsZero() {
        port.rx.c0TxAlmFull = true;
        reads(9);
        port.rx.c0TxAlmFull = false;
        reads(1);
        port.reported(Violation.C0TX_ALMFULL_OVERRUN); // driven before the AFU could know
        port.rx.c0TxAlmFull = true;
        reads(1 + 8);
        port.reported(Violation.C0TX_ALMFULL_OVERRUN);
    }

    @Test
    @Requirement({"CCIP-FLW-3", "CCIP-INT-7"})
    void countsEveryBeatOfC1() {
        port.rx.c1TxAlmFull = true;
        port.step();
        port.c1(c1 -> c1.write(WRLINE_I, VA, FOUR, 0x40, 0));
        for (long next = 0x41; next < 0x44; next++) {
            long address = next;
            port.c1(c1 -> c1.writeNext(WRLINE_I, address)).idle(2);
        }
        port.c1(c1 -> c1.fence(VA, 0)).c1(c1 -> c1.interrupt(VA, 0));
        writes(2);
        port.reportedNothing();
        port.c1(c1 -> c1.interrupt(VA, 1));
        port.reported(Violation.C1TX_ALMFULL_OVERRUN, Violation.HAZ_INTR_UNFENCED);
    }

    @Test
    @Requirement("CCIP-FLW-3")
    void reportsALaterBeatThatIsTheNinth() {
        port.rx.c1TxAlmFull = true;
        port.step();
        writes(7);
        port.c1(c1 -> c1.write(WRLINE_I, VA, FOUR, 0x40, 0));
        port.c1(c1 -> c1.writeNext(WRLINE_I, 0x41));
        assertThat(port.reported(Violation.C1TX_ALMFULL_OVERRUN).request()).isEqualTo(7);
    }

    @Test
    @Requirement("CCIP-FLW-1")
    void countsEachChannelForItself() {
        port.rx.c0TxAlmFull = true;
        port.step();
        writes(20);
        reads(8);
        port.rx.c1TxAlmFull = true;
        port.step();
        writes(8);
        port.reportedNothing();
        writes(1);
        reads(1);
        port.reported(Violation.C1TX_ALMFULL_OVERRUN, Violation.C0TX_ALMFULL_OVERRUN);
    }

    @Test
    @Requirement("CCIP-FLW-5")
    void limitsNothingWithoutAlmostFull() {
        reads(1000);
        writes(1000);
        port.reportedNothing();
    }

    @Test
    void takesNoNoticeOfAlmostFullInReset() {

        port.rx.softReset = true;
        port.rx.c0TxAlmFull = true;
        port.idle(256);
        port.rx.softReset = false;
        port.rx.c0TxAlmFull = false;
        port.step();
        for (int i = 0; i < 20; i++) {
            long address = i + 1L;
            port.c0(c0 -> c0.read(RDLINE_I, VA, ONE, address, 0));
        }
        port.reportedNothing();
    }
}
