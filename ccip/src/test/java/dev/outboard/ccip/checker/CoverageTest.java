package dev.outboard.ccip.checker;

import static dev.outboard.ccip.platform.Profile.INTEGRATED;
import static dev.outboard.ccip.platform.Profile.PAC_A10;
import static dev.outboard.ccip.platform.Profile.PAC_D5005;
import static dev.outboard.ccip.wire.LineCount.FOUR;
import static dev.outboard.ccip.wire.LineCount.ONE;
import static dev.outboard.ccip.wire.LineCount.TWO;
import static dev.outboard.ccip.wire.MmioLength.BYTES_4;
import static dev.outboard.ccip.wire.MmioLength.BYTES_64;
import static dev.outboard.ccip.wire.MmioLength.BYTES_8;
import static dev.outboard.ccip.wire.ReadType.RDLINE_I;
import static dev.outboard.ccip.wire.ReadType.RDLINE_S;
import static dev.outboard.ccip.wire.VirtualChannel.VA;
import static dev.outboard.ccip.wire.VirtualChannel.VH0;
import static dev.outboard.ccip.wire.VirtualChannel.VL0;
import static dev.outboard.ccip.wire.WriteType.WRLINE_I;
import static dev.outboard.ccip.wire.WriteType.WRLINE_M;
import static dev.outboard.ccip.wire.WriteType.WRPUSH_I;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.outboard.ccip.platform.Profile;
import dev.outboard.testkit.Requirement;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Which cases of legal traffic are counted, and as what.
@Requirement("CCIP-CHK-6")
class CoverageTest {
    private final Port port = new Port(PAC_A10);

    private static Map<String, Long> seen(Port port, Profile profile) {
        Map<String, Long> cases = port.checker.coverage().cases(profile);
        cases.values().removeIf(count -> count == 0);
        return cases;
    }

    private void read(int line) {
        port.c0(c0 -> c0.read(RDLINE_I, VA, ONE, line, 0));
    }

    @Test
    void aRequestIsCountedByItsHeader() {
        port.c0(c0 -> c0.read(RDLINE_S, VH0, FOUR, 0x40, 0)).step();
        port.c1(c1 -> c1.write(WRPUSH_I, VA, ONE, 0x80, 0)).step();
        port.c1(c1 -> c1.write(WRLINE_M, VH0, TWO, 0x90, 0)).step();
        port.c1(c1 -> c1.writeNext(WRLINE_M, 0x91)).step();
        port.c1(c1 -> c1.fence(VH0, 0)).step();
        port.c1(c1 -> c1.interrupt(VA, 0));
        assertThat(seen(port, PAC_A10))
                .containsOnly(
                        entry("RDLINE_S VH0 FOUR, after a gap", 1L),
                        entry("WRPUSH_I VA ONE, after a gap", 1L),
                        entry("WRLINE_M VH0 TWO, after a gap", 1L),
                        entry("WRLINE_M later beat, after a gap", 1L),
                        entry("WRFENCE VH0, after a gap", 1L),
                        entry("INTR VA, after a gap", 1L));
        Port bytes = new Port(PAC_D5005);
        bytes.c1(c1 -> c1.writeBytes(WRLINE_I, VA, 0x40, 0, 4, 17));
        assertThat(seen(bytes, PAC_D5005))
                .containsOnly(entry("WRLINE_I VA bytes, after a gap", 1L));
    }

    @Test
    void aRequestIsCountedByTheCycleBeforeIt() {
        read(0x40);
        read(0x41);
        read(0x42);
        port.c1(c1 -> c1.fence(VA, 0));
        read(0x43);
        assertThat(seen(port, PAC_A10))
                .containsOnly(
                        entry("RDLINE_I VA ONE, back to back", 2L),
                        entry("RDLINE_I VA ONE, after a gap", 2L),
                        entry("WRFENCE VA, after a gap", 1L));
    }

    @Test
    void aRequestIsCountedByWhatTheAfuKnowsOfAlmostFull() {
        port.rx.c0TxAlmFull = true;
        read(0x40);
        read(0x41);
        port.rx.c0TxAlmFull = false;
        port.rx.c1TxAlmFull = true;
        read(0x42);
        read(0x43);
        port.c1(c1 -> c1.fence(VA, 0));
        assertThat(seen(port, PAC_A10))
                .containsOnly(
                        entry("RDLINE_I VA ONE, after a gap", 1L),
                        entry("RDLINE_I VA ONE, back to back, under almost-full", 2L),
                        entry("RDLINE_I VA ONE, back to back", 1L),
                        entry("WRFENCE VA, after a gap, under almost-full", 1L));
    }

    @Test
    void whatTheFiuSendsIsCountedByLengthFormatAndType() {
        Port integrated = new Port(INTEGRATED);
        integrated.c1(c1 -> c1.write(WRLINE_I, VL0, TWO, 0x40, 0));
        integrated.c1(c1 -> c1.writeNext(WRLINE_I, 0x41));
        integrated.answer1(0, c1 -> c1.writeResponse(VL0, false, 1, 0));
        integrated.c1(c1 -> c1.write(WRLINE_I, VL0, ONE, 0x80, 0));
        integrated.answer1(1, c1 -> c1.packedWriteResponse(VL0, false, ONE, 0));
        integrated.rx0(c0 -> c0.mmioRead(0, BYTES_8, 1)).rx0(c0 -> c0.mmioRead(0, BYTES_4, 2));
        integrated.rx0(c0 -> c0.mmioWrite(0, BYTES_64, 1));
        integrated.rx0(c0 -> c0.umsg(true, 3)).rx0(c0 -> c0.umsg(false, 3));
        Map<String, Long> cases = seen(integrated, INTEGRATED);
        cases.keySet().removeIf(name -> name.startsWith("WRLINE"));
        assertThat(cases)
                .containsOnly(
                        entry("response to line 1", 1L),
                        entry("packed response ONE", 1L),
                        entry("MMIO read BYTES_8", 1L),
                        entry("MMIO read BYTES_4", 1L),
                        entry("MMIO write BYTES_64", 1L),
                        entry("UMsg", 1L),
                        entry("UMsgH", 1L));
    }

    /// Per channel: 5 request types in 3 lengths, fence and interrupt; later beats of 3 types; each
    /// in 4 states. 3 packed and 4 other responses, 2 MMIO reads and 3 writes.
    @Test
    void everyCaseThatIsLegalOnAPlatformHasACounter() {
        int states = 4;
        int other = 3 * states + 7 + 5;
        assertThat(port.checker.coverage().cases(PAC_A10))
                .hasSize(2 * (5 * 3 + 2) * states + other);
        assertThat(port.checker.coverage().cases(PAC_D5005))
                .hasSize(2 * (5 * 3 + 3 + 2) * states + other);
        assertThat(port.checker.coverage().cases(INTEGRATED))
                .hasSize(4 * (5 * 3 + 1) * states + other + 2);
    }
}
