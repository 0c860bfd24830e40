package dev.outboard.ccip.checker;

import static dev.outboard.ccip.platform.Profile.INTEGRATED;
import static dev.outboard.ccip.platform.Profile.PAC_A10;
import static dev.outboard.ccip.platform.Profile.PAC_D5005;
import static dev.outboard.ccip.wire.LineCount.FOUR;
import static dev.outboard.ccip.wire.LineCount.ONE;
import static dev.outboard.ccip.wire.LineCount.TWO;
import static dev.outboard.ccip.wire.VirtualChannel.VA;
import static dev.outboard.ccip.wire.VirtualChannel.VH0;
import static dev.outboard.ccip.wire.VirtualChannel.VH1;
import static dev.outboard.ccip.wire.VirtualChannel.VL0;
import static dev.outboard.ccip.wire.WriteType.WRLINE_I;
import static dev.outboard.ccip.wire.WriteType.WRLINE_M;
import static dev.outboard.ccip.wire.WriteType.WRPUSH_I;

import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.C1Tx;
import dev.outboard.testkit.Requirement;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/// Writes, fences and interrupts of one beat.
class C1TxTest {
    private static final Consumer<C1Tx> WRITE = c1 -> c1.write(WRLINE_I, VA, ONE, 0x40, 7);
    private static final Consumer<C1Tx> BYTES = c1 -> c1.writeBytes(WRLINE_I, VA, 0x40, 7, 4, 17);

    private final Port port = new Port(PAC_A10);
    private final Port bytePort = new Port(PAC_D5005);

    private static void fence(C1Tx c1) {
        c1.fence(VA, 7);
    }

    private static void interrupt(C1Tx c1) {
        c1.interrupt(VA, 3);
    }

    private static void reports(Violation violation, Profile profile, Consumer<C1Tx> beat) {
        new Port(profile).c1(beat).reported(violation);
    }

    private static Consumer<C1Tx> with(Consumer<C1Tx> beat, int bit) {
        return beat.andThen(c1 -> {
            c1.hdrLow |= bit < 64 ? 1L << bit : 0;
            c1.hdrHigh |= bit < 64 ? 0 : 1 << (bit - 64);
        });
    }

    @Test
    @Requirement({"CCIP-ENC-15", "CCIP-ENC-16"})
    void reportsEveryReservedRequestType() {
        for (int type : new int[] {3, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15}) {
            reports(Violation.C1TX_BAD_REQTYPE, PAC_A10, WRITE.andThen(c1 -> c1.hdrHigh |= type));
        }
    }

    @Test
    @Requirement("CCIP-HDR-22")
    void reportsAWriteOfThreeLinesOnce() {
        port.c1(c1 -> c1.write(WRLINE_I, VA, FOUR, 0x40, 0));
        port.c1(c1 -> c1.writeNext(WRLINE_I, 0x41));
        port.c1(c1 -> c1.writeNext(WRLINE_I, 0x42));
        port.c1(c1 -> c1.writeNext(WRLINE_I, 0x43));
        port.c1(WRITE.andThen(c1 -> c1.hdrHigh |= 2 << 4));
        port.c1(c1 -> c1.writeNext(WRLINE_I, 0x41));
        port.c1(c1 -> c1.writeNext(WRLINE_I, 0x42));
        port.reported(Violation.C1TX_LEN3);
    }

    @Test
    @Requirement("CCIP-HDR-21")
    void reportsAnAddressThatIsNotAMultipleOfTheLength() {
        port.c1(c1 -> c1.write(WRLINE_I, VA, TWO, 0x41, 0));
        port.c1(c1 -> c1.writeNext(WRLINE_I, 0x42));
        port.reported(Violation.C1TX_MISALIGNED);
        reports(Violation.C1TX_MISALIGNED, PAC_A10, c1 -> c1.write(WRLINE_I, VA, FOUR, 0x42, 0));
    }

    @Test
    @Requirement("CCIP-HDR-26")
    void reportsAChannelThatThePlatformLacks() {
        reports(Violation.C1TX_VC_ILLEGAL, PAC_A10, c1 -> c1.write(WRLINE_I, VL0, ONE, 0x40, 0));
        reports(Violation.C1TX_VC_ILLEGAL, PAC_A10, c1 -> c1.fence(VH1, 0));
        reports(Violation.C1TX_VC_ILLEGAL, PAC_A10, c1 -> c1.interrupt(VL0, 0));
        port.c1(c1 -> c1.write(WRLINE_I, VH0, ONE, 0x40, 0)).c1(c1 -> c1.fence(VH0, 0));
        port.c1(c1 -> c1.interrupt(VH0, 0));
        port.reportedNothing();
    }

    @Test
    @Requirement("CCIP-HDR-28")
    void reportsAFenceWithStartOfPacket() {
        reports(Violation.C1TX_FENCE_SOP, PAC_A10, with(C1TxTest::fence, 71));
    }

    @Test
    @Requirement({"CCIP-SIG-4", "CCIP-HDR-28"})
    void reportsEveryReservedBitOfAFence() {
        for (int bit = 16; bit < 80; bit++) {
            if (bit < 64 || bit == 68 || bit == 69 || bit >= 74) {
                reports(Violation.C1TX_RSVD_NONZERO, PAC_A10, with(C1TxTest::fence, bit));
            }
        }
    }

    @Test
    @Requirement({"CCIP-SIG-4", "CCIP-HDR-28", "CCIP-ENC-18"})
    void reportsEveryReservedBitOfAnInterruptButThoseOfTheWiderHeader() {
        for (int bit = 2; bit < 80; bit++) {
            if (bit < 64 || bit == 68 || bit == 69 || bit == 71 || (bit >= 74 && bit < 78)) {
                reports(Violation.C1TX_RSVD_NONZERO, PAC_A10, with(C1TxTest::interrupt, bit));
            }
        }
        port.c1(with(with(C1TxTest::interrupt, 78), 79));
        port.reportedNothing();
    }

    @Test
    @Requirement("CCIP-SIG-5")
    void acceptsAnythingWhereALaterBeatMayCarryAnything() {
        port.c1(c1 -> c1.write(WRLINE_I, VA, TWO, 0x40, 0));
        port.c1(c1 -> {
            c1.writeNext(WRLINE_I, 0x41);
            c1.hdrLow |= 0x03FF_FFFF_FFFC_FFFFL;
            c1.hdrHigh |= 0x330;
        });
        port.reportedNothing();
    }

    @Test
    @Requirement("CCIP-BYT-1")
    void reportsByteFieldsWhereThePlatformHasNoByteWrites() {
        for (Profile profile : new Profile[] {PAC_A10, Profile.PAC_N3000, INTEGRATED}) {
            reports(Violation.C1TX_BYTE_UNSUPPORTED, profile, BYTES);
            reports(Violation.C1TX_BYTE_UNSUPPORTED, profile, with(WRITE, 58));
            reports(Violation.C1TX_BYTE_UNSUPPORTED, profile, with(WRITE, 79));
        }
        bytePort.c1(BYTES).reportedNothing();
    }

    @Test
    @Requirement("CCIP-BYT-9")
    void reportsByteModeOnFenceAndInterrupt() {
        reports(Violation.C1TX_BYTE_NON_WRITE, PAC_D5005, with(C1TxTest::fence, 70));
        reports(Violation.C1TX_BYTE_NON_WRITE, PAC_D5005, with(C1TxTest::interrupt, 70));
    }

    @Test
    @Requirement("CCIP-BYT-6")
    void reportsBytesOfMoreThanOneLine() {
        bytePort.c1(with(BYTES, 68)).c1(c1 -> c1.writeNext(WRLINE_I, 0x41));
        bytePort.reported(Violation.C1TX_BYTE_MULTI_LINE);
        reports(
                Violation.C1TX_BYTE_MULTI_LINE,
                PAC_D5005,
                BYTES.andThen(c1 -> c1.hdrHigh &= ~(1 << 7)));
    }

    @Test
    @Requirement("CCIP-BYT-7")
    void reportsBytesThatAreNoneOrLeaveTheLine() {
        int[][] ranges = {{0, 0}, {5, 0}, {2, 63}, {63, 2}, {32, 33}};
        for (int[] range : ranges) {
            reports(
                    Violation.C1TX_BYTE_RANGE,
                    PAC_D5005,
                    c1 -> c1.writeBytes(WRPUSH_I, VA, 0x40, 0, range[0], range[1]));
        }
        bytePort.c1(c1 -> c1.writeBytes(WRLINE_I, VA, 0x40, 0, 0, 63));
        bytePort.c1(c1 -> c1.writeBytes(WRLINE_I, VA, 0x41, 0, 63, 1));
        bytePort.c1(c1 -> c1.writeBytes(WRPUSH_I, VA, 0x42, 0, 1, 63));
        bytePort.reportedNothing();
    }

    @Test
    @Requirement("CCIP-BYT-8")
    void reportsByteFieldsInLineMode() {
        reports(Violation.C1TX_BYTE_FIELDS_IN_CL_MODE, PAC_D5005, with(WRITE, 58));
        reports(Violation.C1TX_BYTE_FIELDS_IN_CL_MODE, PAC_D5005, with(WRITE, 74));
        bytePort.c1(c1 -> c1.write(WRLINE_I, VA, TWO, 0x40, 0));
        bytePort.c1(with(c1 -> c1.writeNext(WRLINE_I, 0x41), 74));
        bytePort.reported(Violation.C1TX_BYTE_FIELDS_IN_CL_MODE);
    }

    @Test
    @Requirement("CCIP-INT-1")
    void reportsAnInterruptWhereThePlatformHasNone() {
        reports(Violation.C1TX_INTR_UNSUPPORTED, INTEGRATED, C1TxTest::interrupt);
    }

    @Test
    @Requirement("CCIP-INT-3")
    void reportsAnInterruptBeforeTheLastOfItsIdIsAnswered() {
        port.c1(C1TxTest::interrupt).c1(c1 -> c1.interrupt(VA, 2)).c1(C1TxTest::interrupt);
        port.reported(Violation.C1TX_INTR_ID_BUSY);
        Port patient = new Port(PAC_A10);
        patient.c1(C1TxTest::interrupt)
                .answer1(0, c1 -> c1.interruptResponse(VH0, 3))
                .c1(C1TxTest::interrupt);
        patient.reportedNothing();
    }

    @Test
    @Requirement("CCIP-MEM-8")
    void tellsOfAHintThatIsIgnored() {
        reports(Violation.C1TX_HINT_IGNORED, PAC_A10, c1 -> c1.write(WRLINE_M, VA, ONE, 1, 0));
        reports(Violation.C1TX_HINT_IGNORED, INTEGRATED, c1 -> c1.write(WRLINE_M, VH0, ONE, 1, 0));
        new Port(INTEGRATED).c1(c1 -> c1.write(WRLINE_M, VL0, ONE, 1, 0)).reportedNothing();
        port.c1(c1 -> c1.write(WRPUSH_I, VA, ONE, 1, 0)).reportedNothing();
    }

    @Test
    @Requirement("CCIP-CHK-2")
    void tellsOfLineZeroOnlyIfAsked() {
        port.c1(c1 -> c1.write(WRLINE_I, VA, ONE, 0, 0)).reportedNothing();
        Port linted = new Port(PAC_A10);
        linted.checker.severity(Violation.C1TX_ADDR_ZERO, Severity.INFO);
        linted.c1(c1 -> c1.write(WRLINE_I, VA, ONE, 0, 0));
        linted.reported(Violation.C1TX_ADDR_ZERO);
    }
}
