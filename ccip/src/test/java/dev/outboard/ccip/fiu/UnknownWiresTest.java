package dev.outboard.ccip.fiu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.platform.ResponseFormat;
import dev.outboard.ccip.wire.C0Rx;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.ReadType;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import dev.outboard.testkit.Requirement;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What wires carry that mean nothing: garbage towards the AFU, and nothing the FIU would care for
/// from it.
class UnknownWiresTest {
    private static final int READ_RESERVED = 0x2400000;

    /// Later packages have the error of a speculative read there: designs of today look at it.
    private static final int READ_ERROR = 0x0800000;

    private static final int WRITE_RESERVED = 0x2400000;
    private static final int FENCE_RESERVED = 0xFF00000;

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement({"CCIP-SIG-7", "CCIP-SIG-13"})
    void idleHeadersAndDataAreGarbage(Mode mode) {
        Port port = new Port(Profile.PAC_A10, mode, 1, ResponseFormat.PACKED);
        port.read(0, 1).write(1, 1, 1).edge().settle();
        Set<Integer> headers = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            port.edge();
            C0Rx c0 = port.rx.c0;
            assertThat(c0.rspValid || c0.mmioRdValid || c0.mmioWrValid || port.rx.c1.rspValid)
                    .isFalse();
            assertThat(c0.hdr & ~C0Rx.HDR_MASK).isZero();
            assertThat(c0.data).doesNotContain(0);
            headers.add(c0.hdr);
            headers.add(port.rx.c1.hdr);
        }
        assertThat(headers)
                .hasSizeGreaterThan(mode == Mode.ADVERSARIAL ? 150 : 1)
                .doesNotContain(0);
    }

    @Test
    @Requirement("CCIP-SIG-6")
    void reservedHeaderBitsAreGarbageInAdversarialModeAnd0Else() {
        assertThat(reserved(Mode.TIMED)).containsOnly(0);
        assertThat(reserved(Mode.ADVERSARIAL)).hasSizeGreaterThan(6);
    }

    private static Set<Integer> reserved(Mode mode) {
        Port port = new Port(Profile.INTEGRATED, mode, 1, ResponseFormat.RANDOM);
        Set<Integer> seen = new HashSet<>();
        for (int i = 0; i < 60; i++) {
            port.read(i, i).write(100 + i, i, i).edge();
            port.fence(VirtualChannel.VA, i);
            for (int j = 0; j < 400; j++) {
                port.edge();
                if (port.rx.c0.rspValid) {
                    seen.add(port.rx.c0.hdr & READ_RESERVED);
                    assertThat(port.rx.c0.hdr & READ_ERROR).isZero();
                }
                if (port.rx.c1.rspValid) {
                    seen.add(
                            port.rx.c1.hdr
                                    & (port.rx.c1.isWriteResponse()
                                            ? WRITE_RESERVED
                                            : FENCE_RESERVED));
                }
            }
        }
        return seen;
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement({"CCIP-SIG-5", "CCIP-MCL-5", "CCIP-HDR-24"})
    void whatLaterBeatsSayBesideTheirLineIsIgnored(Mode mode) {
        Port port = new Port(Profile.INTEGRATED, mode, 1, ResponseFormat.UNPACKED);
        port.write(8, LineCount.FOUR, VirtualChannel.VH1, 0x1234, 1).edge();
        for (int i = 1; i < 4; i++) {
            port.next(8 + i, 1 + i);
            // Other channel, length, mdata and upper address bits.
            port.tx.c1.hdrHigh |= 0x130;
            port.tx.c1.hdrLow |= 0x3FFFFFC00FFFFL & ~0x30000L;
            port.edge();
        }
        port.settle();
        assertThat(port.writes())
                .hasSize(4)
                .allMatch(r -> r.mdata() == 0x1234 && r.channel() == VirtualChannel.VH1);
        for (int i = 0; i < 4; i++) {
            assertThat(port.word(8 + i)).isEqualTo(1 + i);
        }
    }

    @ParameterizedTest
    @EnumSource(WriteType.class)
    @Requirement({"CCIP-CCH-23", "CCIP-CCH-3", "CCIP-CCH-7"})
    void theProcessorSeesWhateverTheCacheHolds(WriteType type) {
        if (type.code() > WriteType.WRPUSH_I.code()) {
            return;
        }
        Port port = new Port(Profile.INTEGRATED);
        for (int round = 1; round <= 3; round++) {
            // The same index of the cache in turns, so that one line throws the other out.
            for (int line : new int[] {0, 1}) {
                port.tx.c0.read(
                        ReadType.RDLINE_S, VirtualChannel.VL0, LineCount.ONE, port.base + line, 0);
                port.edge().settle();
                port.tx.c1.write(type, VirtualChannel.VL0, LineCount.ONE, port.base + line, 0);
                Arrays.fill(port.tx.c1.data, 10 * round + line);
                port.edge().settle();
                assertThat(port.word(line)).isEqualTo(10 * round + line);
                port.word(line, 99);
                port.read(line, LineCount.ONE, VirtualChannel.VL0, 0).edge().settle();
                assertThat(port.reads().getLast().word()).isEqualTo(99);
            }
        }
    }

    @Test
    @Requirement("CCIP-ORD-36")
    void waitingForOnesOwnResponsesDoesNotHoldUpOtherWrites() {
        assertThat(otherWritesMeanwhile(false)).isGreaterThan(2 * otherWritesMeanwhile(true));
    }

    /// How many lines of a second stream reach memory in the time of 50 barriers after single
    /// writes of a first.
    private static int otherWritesMeanwhile(boolean byFence) {
        Port port = new Port(Profile.PAC_A10);
        int others = 0;
        for (int i = 0; i < 50; i++) {
            port.responses.clear();
            port.write(0, 1, i).edge();
            if (byFence) {
                port.fence(VirtualChannel.VA, 1).edge();
            }
            while (port.writes().stream().filter(r -> r.mdata() == 1).count() < (byFence ? 2 : 1)) {
                if (!port.rx.c1TxAlmFull) {
                    port.write(1 + others % 1000, 2, 7);
                    others++;
                }
                port.edge();
            }
        }
        return others;
    }
}
