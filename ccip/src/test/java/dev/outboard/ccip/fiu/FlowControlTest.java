package dev.outboard.ccip.fiu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.checker.Channel;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.platform.ResponseFormat;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Almost-full, and what still finds room after it.
class FlowControlTest {
    /// Lengths of the stretches in which a wire is 1, and the pairs of levels that both have.
    @Test
    @Requirement("CCIP-FLW-11")
    void inAdversarialModeEachWireRisesByChanceForACycleOrForMany() {
        Port port = new Port(Profile.PAC_A10, Mode.ADVERSARIAL, 1, ResponseFormat.PACKED);
        Set<Integer> lengths = new HashSet<>();
        Set<List<Boolean>> pairs = new HashSet<>();
        int length = 0;
        for (int i = 0; i < 100_000; i++) {
            port.edge();
            pairs.add(List.of(port.rx.c0TxAlmFull, port.rx.c1TxAlmFull));
            if (port.rx.c0TxAlmFull) {
                length++;
            } else {
                lengths.add(length);
                length = 0;
            }
        }
        assertThat(pairs).hasSize(4);
        assertThat(lengths).contains(1).anyMatch(longest -> longest > 100);
    }

    @Test
    @Requirement({"CCIP-FLW-1", "CCIP-FLW-5", "CCIP-GUI-8", "CCIP-SIG-15b"})
    void theChannelsFillIndependently() {
        Port port = new Port(Profile.PAC_A10);
        assertThat(port.rx.c0TxAlmFull).isFalse();
        int sent = 0;
        while (!port.rx.c0TxAlmFull) {
            port.read(sent % Port.LINES, sent++).edge();
            assertThat(port.rx.c1TxAlmFull).isFalse();
            assertThat(sent).isLessThan(10_000);
        }
        port.settle();
        assertThat(port.reads()).hasSize(sent);
        port.edge();
        assertThat(port.rx.c0TxAlmFull).isFalse();
        int written = 0;
        while (!port.rx.c1TxAlmFull) {
            port.write(written % Port.LINES, written++, 0).edge();
            assertThat(port.rx.c0TxAlmFull).isFalse();
            assertThat(written).isLessThan(10_000);
        }
        port.settle();
        assertThat(port.writes()).hasSize(written);
        port.edge();
        assertThat(port.rx.c1TxAlmFull).isFalse();
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement({"CCIP-FLW-4", "CCIP-FLW-6", "CCIP-FLW-11", "CCIP-FLW-13"})
    void eightBeatsAfterAlmostFullAreServedAndTheNinthIsLost(Mode mode) {
        for (int beats = 7; beats <= 11; beats++) {
            Port port = new Port(Profile.PAC_A10, mode, 1, ResponseFormat.PACKED);
            long raised = port.cycle + 2;
            port.fiu.raiseAlmostFull(Channel.TX_C0, cycle -> cycle >= raised);
            port.fiu.raiseAlmostFull(Channel.TX_C1, cycle -> cycle >= raised);
            // The edge at which the FIU drives 1, and the one at which the AFU can first see it.
            port.edges(3);
            assertThat(port.rx.c0TxAlmFull && port.rx.c1TxAlmFull).isTrue();
            port.read(0, 100).write(0, 100, 0).edge();
            for (int i = 0; i < beats; i++) {
                port.read(i, i);
                if (i % 3 == 0) {
                    port.fence(VirtualChannel.VA, i);
                } else {
                    port.write(i, i, i);
                }
                port.edge();
            }
            port.settle();
            assertThat(port.reads()).hasSize(1 + Math.min(beats, 8));
            assertThat(port.writes()).hasSize(1 + Math.min(beats, 8));
            assertThat(port.reads()).noneMatch(r -> r.mdata() >= 8 && r.mdata() != 100);
        }
    }

    @Test
    @Requirement({"CCIP-FLW-3", "CCIP-FLW-4"})
    void theCountBeginsAnewOnceAlmostFullWasSeenAt0() {
        Port port = new Port(Profile.PAC_A10);
        long from = port.cycle;
        // 1 for ten cycles, 0 for one, 1 for ten.
        port.fiu.raiseAlmostFull(Channel.TX_C1, cycle -> cycle - from != 10 && cycle - from < 21);
        port.edge();
        for (int i = 0; i < 2; i++) {
            port.edge();
            port.burst(8 * i, LineCount.FOUR, VirtualChannel.VA, i, 1);
            port.burst(8 * i + 4, LineCount.FOUR, VirtualChannel.VA, i, 1);
            port.edges(2);
        }
        port.settle();
        assertThat(port.writes()).hasSize(4);
        assertThat(IntStream.range(0, 16).map(line -> (int) port.word(line)).boxed().toList())
                .containsExactly(1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4);
    }

    @Test
    @Requirement({"CCIP-FLW-11", "CCIP-FLW-12"})
    void almostFullCanBeForcedInAnyCycleOfEitherChannel() {
        for (int at = 0; at < 20; at++) {
            Port port = new Port(Profile.INTEGRATED);
            long pulse = port.cycle + at;
            port.fiu.raiseAlmostFull(Channel.TX_C0, cycle -> cycle == pulse);
            List<Long> seen = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                port.edge();
                if (port.rx.c0TxAlmFull) {
                    seen.add(port.cycle - 1);
                }
                assertThat(port.rx.c1TxAlmFull).isFalse();
            }
            assertThat(seen).containsExactly(pulse);
        }
    }

    @Test
    @Requirement("CCIP-FLW-14")
    void almostFullIs0OutOfResetAndMeansNothingInIt() {
        Port port = new Port(Profile.PAC_A10);
        port.fiu.reset();
        int ones = 0;
        for (int i = 0; i < Fiu.RESET_CYCLES; i++) {
            port.edge();
            ones += port.rx.c0TxAlmFull ? 1 : 0;
        }
        assertThat(ones).isBetween(64, 192);
        assertThat(port.rx.softReset).isTrue();
        port.edge();
        assertThat(port.rx.softReset).isFalse();
        assertThat(port.rx.c0TxAlmFull || port.rx.c1TxAlmFull).isFalse();
    }

    @Test
    @Requirement("CCIP-FLW-8")
    void mmioResponsesAreAlwaysTaken() {
        Port port = new Port(Profile.PAC_A10);
        port.fiu.raiseAlmostFull(Channel.TX_C0, cycle -> true);
        port.fiu.raiseAlmostFull(Channel.TX_C1, cycle -> true);
        for (int tid = 0; tid < 64; tid++) {
            port.tx.c2.respond(tid, tid);
            port.edge();
        }
        assertThat(port.fiu.isIdle()).isTrue();
    }
}
