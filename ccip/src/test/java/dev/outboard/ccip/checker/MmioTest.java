package dev.outboard.ccip.checker;

import static dev.outboard.ccip.platform.Profile.PAC_A10;
import static dev.outboard.ccip.wire.MmioLength.BYTES_4;
import static dev.outboard.ccip.wire.MmioLength.BYTES_64;
import static dev.outboard.ccip.wire.MmioLength.BYTES_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import org.junit.jupiter.api.Test;

/// MMIO requests of the FIU, and the responses of the AFU.
class MmioTest {
    private Port port = new Port(PAC_A10);

    private Port read(int tid) {
        return port.rx0(c0 -> c0.mmioRead(2 * tid, BYTES_8, tid));
    }

    @Test
    @Requirement({"CCIP-MMIO-16", "CCIP-MMIO-21"})
    void acceptsReadsBackToBackAndAnswersInAnyOrder() {
        for (int tid = 0; tid < 64; tid++) {
            read(tid);
        }
        port.rx0(c0 -> c0.mmioWrite(16, BYTES_64, 5)).rx0(c0 -> c0.mmioWrite(1, BYTES_4, 5));
        for (int tid = 63; tid >= 0; tid--) {
            port.c2(tid);
        }
        port.reportedNothing();
    }

    @Test
    @Requirement({"CCIP-MMIO-7", "CCIP-MMIO-10", "CCIP-MMIO-14"})
    void reportsAReadThatIsNotAnsweredInTime() {
        long sampled = port.cycle();
        read(5).idle(65535).reportedNothing();
        assertThat(port.checker.nextCycle(port.cycle())).isEqualTo(port.cycle());
        port.step();
        Report report = port.reported(Violation.MMIO_RSP_TIMEOUT);
        assertThat(report.cycle()).isEqualTo(sampled + 65536);
        assertThat(report.detail())
                .isEqualTo(
                        "MMIO read of 0x28 with tid 0x5 from cycle "
                                + sampled
                                + " has no response after 65536 cycles");
    }

    @Test
    @Requirement("CCIP-MMIO-14")
    void allowsTheLastCycleOfTheTime() {
        port = new Port(PAC_A10.withMmioTimeout(512));
        read(5).idle(511).c2(5).reportedNothing();
        read(6).idle(512).reported(Violation.MMIO_RSP_TIMEOUT);
    }

    @Test
    @Requirement("CCIP-MMIO-15")
    void countsAResponseAfterTheTimeAsUnsolicited() {
        port = new Port(PAC_A10.withMmioTimeout(512));
        read(5).idle(600).c2(5);
        port.reported(Violation.MMIO_RSP_TIMEOUT, Violation.MMIO_RSP_UNSOLICITED);
    }

    @Test
    @Requirement({"CCIP-MMIO-6", "CCIP-MMIO-13"})
    void reportsAResponseToNothingAndToAWrite() {
        port.c2(9);
        port.rx0(c0 -> c0.mmioWrite(0, BYTES_8, 7)).c2(7);
        port.reported(Violation.MMIO_RSP_UNSOLICITED, Violation.MMIO_RSP_UNSOLICITED);
    }

    @Test
    @Requirement({"CCIP-MMIO-7", "CCIP-MMIO-8"})
    void reportsASecondResponse() {
        read(5).c2(5).c2(5);
        port.reported(Violation.MMIO_RSP_DUPLICATE);
    }

    @Test
    @Requirement("CCIP-MMIO-13")
    void knowsThatAnAnswerInTheCycleOfTheRequestIsNone() {
        port.tx.c2.respond(5, 0);
        read(5);
        port.reported(Violation.MMIO_RSP_UNSOLICITED);
    }

    @Test
    @Requirement("CCIP-CHK-4")
    void reportsLengthsThatAreNone() {
        port.rx0(c0 -> c0.mmioRead(0, BYTES_64, 1));
        port.rx0(c0 -> c0.mmioWrite(0, BYTES_64, 1));
        port.rx0(c0 -> {
            c0.mmioWrite(0, BYTES_64, 1);
            c0.hdr |= 3 << 10;
        });
        port.reported(Violation.FIU_MMIO_LEN, Violation.FIU_MMIO_LEN);
    }

    @Test
    @Requirement("CCIP-CHK-4")
    void reportsAddressesThatAreNoMultipleOfTheLength() {
        port.rx0(c0 -> c0.mmioWrite(1, BYTES_4, 0)).rx0(c0 -> c0.mmioWrite(2, BYTES_8, 0));
        port.rx0(c0 -> c0.mmioWrite(16, BYTES_64, 0)).reportedNothing();
        port.rx0(c0 -> c0.mmioRead(1, BYTES_8, 0)).rx0(c0 -> c0.mmioWrite(8, BYTES_64, 0));
        port.reported(Violation.FIU_MMIO_LEN, Violation.FIU_MMIO_LEN);
    }

    @Test
    @Requirement("CCIP-CHK-4")
    void reportsTheSixtyFifthReadAtATime() {
        for (int tid = 100; tid < 165; tid++) {
            read(tid);
        }
        port.reported(Violation.FIU_MMIO_OUTSTANDING);
    }

    @Test
    @Requirement("CCIP-CHK-4")
    void reportsATidThatIsStillInUse() {
        read(0x1FF).c2(0x1FF);
        read(0x1FF).reportedNothing();
        read(0x1FF).reported(Violation.FIU_TID_REUSE);
    }

    @Test
    @Requirement("CCIP-CHK-4")
    void reportsRequestsThatOvertakeOnTheWayFromTheLink() {
        port.checker.mmioArrived(true, 4, BYTES_8);
        port.checker.mmioArrived(false, 6, BYTES_4);
        port.checker.mmioArrived(false, 8, BYTES_4);
        port.rx0(c0 -> c0.mmioRead(4, BYTES_8, 9)).reportedNothing();
        port.rx0(c0 -> c0.mmioWrite(8, BYTES_4, 3)).rx0(c0 -> c0.mmioWrite(6, BYTES_4, 3));
        port.reported(Violation.FIU_MMIO_ORDER, Violation.FIU_MMIO_ORDER);
    }

    @Test
    void expectsNothingThatAResetDropped() {
        port.checker.mmioArrived(true, 4, BYTES_8);
        port.checker.mmioArrived(false, 6, BYTES_4);
        port.checker.mmioDropped(1);
        port.checker.mmioArrived(false, 8, BYTES_4);
        port.rx0(c0 -> c0.mmioRead(4, BYTES_8, 9)).rx0(c0 -> c0.mmioWrite(8, BYTES_4, 3));
        port.reportedNothing();
    }

    @Test
    void reportsARequestInReset() {
        port.rx.softReset = true;
        port.rx0(c0 -> c0.mmioRead(4, BYTES_8, 9)).reported(Violation.FIU_MMIO_ORDER);
    }

    @Test
    void keepsTheOrderOfManyRequestsFromTheLink() {
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 100; i++) {
                port.checker.mmioArrived(false, i, BYTES_4);
            }
            for (int i = 0; i < 100; i++) {
                int address = i;
                port.rx0(c0 -> c0.mmioWrite(address, BYTES_4, 0));
            }
        }
        port.reportedNothing();
    }
}
