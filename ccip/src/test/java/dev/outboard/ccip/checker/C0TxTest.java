package dev.outboard.ccip.checker;

import static dev.outboard.ccip.platform.Profile.INTEGRATED;
import static dev.outboard.ccip.platform.Profile.PAC_A10;
import static dev.outboard.ccip.wire.LineCount.FOUR;
import static dev.outboard.ccip.wire.LineCount.ONE;
import static dev.outboard.ccip.wire.LineCount.TWO;
import static dev.outboard.ccip.wire.ReadType.RDLINE_I;
import static dev.outboard.ccip.wire.ReadType.RDLINE_S;
import static dev.outboard.ccip.wire.VirtualChannel.VA;
import static dev.outboard.ccip.wire.VirtualChannel.VH0;
import static dev.outboard.ccip.wire.VirtualChannel.VH1;
import static dev.outboard.ccip.wire.VirtualChannel.VL0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.wire.C0Tx;
import dev.outboard.testkit.Requirement;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class C0TxTest {
    private static final Consumer<C0Tx> READ = c0 -> c0.read(RDLINE_I, VA, ONE, 0x40, 7);

    private final Port port = new Port(PAC_A10);

    @Test
    @Requirement({"CCIP-ENC-15", "CCIP-ENC-16"})
    void reportsEveryReservedRequestType() {
        for (int type = 2; type < 16; type++) {
            int reserved = type;
            Port fresh = new Port(PAC_A10);
            fresh.c0(READ.andThen(c0 -> c0.hdrHigh |= reserved));
            assertThat(fresh.reported(Violation.C0TX_BAD_REQTYPE).header())
                    .startsWith("reserved code " + type);
        }
    }

    @Test
    @Requirement("CCIP-HDR-22")
    void reportsAReadOfThreeLines() {
        port.c0(READ.andThen(c0 -> c0.hdrHigh |= 2 << 4));
        port.reported(Violation.C0TX_LEN3);
    }

    @Test
    @Requirement("CCIP-HDR-21")
    void reportsAnAddressThatIsNotAMultipleOfTheLength() {
        port.c0(c0 -> c0.read(RDLINE_I, VA, TWO, 0x41, 0));
        port.c0(c0 -> c0.read(RDLINE_I, VA, FOUR, 0x42, 0));
        port.reported(Violation.C0TX_MISALIGNED, Violation.C0TX_MISALIGNED);
    }

    @Test
    void acceptsEveryAlignedRead() {
        port.c0(c0 -> c0.read(RDLINE_I, VA, ONE, 0x43, 0));
        port.c0(c0 -> c0.read(RDLINE_I, VH0, TWO, 0x46, 0));
        port.c0(c0 -> c0.read(RDLINE_I, VA, FOUR, (1L << 42) - 4, 0xFFFF));
        port.reportedNothing();
    }

    @Test
    @Requirement("CCIP-HDR-26")
    void reportsAChannelThatThePlatformLacks() {
        port.c0(c0 -> c0.read(RDLINE_I, VL0, ONE, 0x40, 0));
        port.c0(c0 -> c0.read(RDLINE_I, VH1, ONE, 0x80, 0));
        port.reported(Violation.C0TX_VC_ILLEGAL, Violation.C0TX_VC_ILLEGAL);
        Port integrated = new Port(INTEGRATED);
        integrated.c0(c0 -> c0.read(RDLINE_I, VL0, ONE, 0x40, 0));
        integrated.c0(c0 -> c0.read(RDLINE_I, VH1, ONE, 0x80, 0));
        integrated.reportedNothing();
    }

    @Test
    @Requirement({"CCIP-SIG-4", "CCIP-CHK-1"})
    void reportsEveryReservedBit() {
        for (int bit = 58; bit < 64; bit++) {
            int reserved = bit;
            Port fresh = new Port(PAC_A10);
            fresh.c0(READ.andThen(c0 -> c0.hdrLow |= 1L << reserved));
            fresh.reported(Violation.C0TX_RSVD_NONZERO);
        }
        for (int bit = 70; bit < 72; bit++) {
            int reserved = bit;
            Port fresh = new Port(PAC_A10);
            fresh.c0(READ.andThen(c0 -> c0.hdrHigh |= 1 << (reserved - 64)));
            Report report = fresh.reported(Violation.C0TX_RSVD_NONZERO);
            assertThat(report.severity()).isEqualTo(Severity.WARNING);
        }
    }

    @Test
    @Requirement("CCIP-MEM-8")
    void tellsOfAHintThatIsIgnored() {
        port.c0(c0 -> c0.read(RDLINE_S, VA, ONE, 0x40, 0));
        assertThat(port.reported(Violation.C0TX_HINT_IGNORED).severity()).isEqualTo(Severity.INFO);
        Port integrated = new Port(INTEGRATED);
        integrated.c0(c0 -> c0.read(RDLINE_S, VL0, ONE, 0x40, 0));
        integrated.c0(c0 -> c0.read(RDLINE_S, VA, ONE, 0x80, 0));
        integrated.reportedNothing();
        integrated.c0(c0 -> c0.read(RDLINE_S, VH1, ONE, 0xC0, 0));
        integrated.reported(Violation.C0TX_HINT_IGNORED);
    }

    @Test
    @Requirement("CCIP-CHK-2")
    void tellsOfLineZeroOnlyIfAsked() {
        port.c0(c0 -> c0.read(RDLINE_I, VA, ONE, 0, 0));
        port.reportedNothing();
        port.checker.severity(Violation.C0TX_ADDR_ZERO, Severity.WARNING);
        port.c0(c0 -> c0.read(RDLINE_I, VA, ONE, 0, 0));
        port.reported(Violation.C0TX_ADDR_ZERO);
    }

    @Test
    @Requirement("CCIP-CHK-1")
    void saysWhatWhereWhenAndWhatToDo() {
        port.c0(READ);
        long cycle = port.cycle();
        port.c0(c0 -> c0.read(RDLINE_I, VA, FOUR, 0x12345, 0xBEEF));
        Violation violation = Violation.C0TX_MISALIGNED;
        Severity severity = Severity.ERROR;
        Channel channel = Channel.TX_C0;
        String header = "RDLINE_I VA 4 lines at 0x12345 mdata 0xbeef";
        long request = 1;
        long address = 0x12345;
        String detail = "";
        assertThat(port.reported(Violation.C0TX_MISALIGNED))
                .isEqualTo(
                        new Report(
                                violation, severity, cycle, channel, header, request, address,
                                detail))
                .hasToString(
                        "C0TX_MISALIGNED (error) in cycle "
                                + cycle
                                + " on Tx C0, request 1, line 0x12345: RDLINE_I VA 4 lines at 0x12345"
                                + " mdata 0xbeef. A read of 2 lines begins at an even line, one of 4"
                                + " at a multiple of 4. [CCIP-HDR-21]");
    }
}
