package dev.outboard.ccip.fiu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.checker.Answers;
import dev.outboard.ccip.checker.Severity;
import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.testkit.Requirement;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// An FIU that serves requests in the right order and answers them in a wrong one: between it and
/// the checker, responses are forged, dropped and held back.
@Requirement({"CCIP-CHK-4", "CCIP-MOD-9"})
class WrongOrderTest {
    private static final int ROUNDS = 100;
    private static final int MDATA = 7;

    private final Port port = new Port(Profile.INTEGRATED);

    /// Requests on C1 so far.
    private long requests;

    /// The C1 request whose own response is dropped.
    private long forged = Answers.NONE;

    @BeforeEach
    void look() {
        for (Violation hazard : new Violation[] {Violation.HAZ_RAW, Violation.HAZ_WAW}) {
            port.checker.severity(hazard, Severity.OFF);
        }
        edge();
    }

    private void edge() {
        port.checker.clock(port.cycle, port.tx, port.rx, port.answers);
        port.edge();
        if (port.rx.c1.rspValid && port.answers.c1Request == forged) {
            port.rx.c1.rspValid = false;
            port.answers.c1Request = Answers.NONE;
        }
    }

    private void settle() {
        while (!port.fiu.isIdle()) {
            edge();
        }
        edge();
        edge();
    }

    private long found(Violation violation) {
        Map<Violation, Long> counts = port.checker.counts();
        assertThat(counts.keySet()).isSubsetOf(violation);
        return counts.getOrDefault(violation, 0L);
    }

    @Test
    @Requirement({"CCIP-ORD-14", "CCIP-ORD-26"})
    void aFenceThatIsAnsweredAtOnceIsFound() {
        for (VirtualChannel channel : VirtualChannel.values()) {
            long before = found(Violation.FIU_FENCE_EARLY);
            fence(channel, false);
            assertThat(found(Violation.FIU_FENCE_EARLY)).as("honest").isEqualTo(before);
            fence(channel, true);
            assertThat(found(Violation.FIU_FENCE_EARLY)).as("forged").isEqualTo(before + 1);
        }
    }

    private void fence(VirtualChannel channel, boolean atOnce) {
        port.write(0, LineCount.ONE, channel, MDATA, 1);
        edge();
        port.fence(channel, MDATA);
        edge();
        requests += 2;
        if (atOnce) {
            forged = requests - 1;
            port.rx.c1.fenceResponse(MDATA);
            port.answers.c1Request = forged;
        }
        settle();
    }

    @Test
    @Requirement("CCIP-ORD-11")
    void aWriteThatIsAnsweredTooEarlyIsFoundByAReadThatPassesIt() {
        readBack(0, false);
        assertThat(found(Violation.FIU_READ_STALE)).as("honest").isZero();
        readBack(ROUNDS, true);
        assertThat(found(Violation.FIU_READ_STALE)).as("forged").isBetween(10L, ROUNDS - 10L);
    }

    private void readBack(int firstLine, boolean atOnce) {
        for (int line = firstLine; line < firstLine + ROUNDS; line++) {
            port.write(line, LineCount.ONE, VirtualChannel.VH0, MDATA, 1);
            edge();
            edge();
            if (atOnce) {
                forged = requests;
                port.rx.c1.writeResponse(VirtualChannel.VH0, false, 0, MDATA);
                port.answers.c1Request = forged;
                edge();
            } else {
                settle();
            }
            requests++;
            port.read(line, LineCount.ONE, VirtualChannel.VH0, MDATA);
            edge();
            settle();
        }
    }

    @Test
    @Requirement("CCIP-ORD-41")
    void dataThatAreHeldBackBehindNewerOnesAreFound() {
        readTwice(false);
        assertThat(found(Violation.FIU_READ_STALE)).as("honest").isZero();
        readTwice(true);
        assertThat(found(Violation.FIU_READ_STALE)).as("swapped").isEqualTo(1);
    }

    private void readTwice(boolean swaps) {
        port.read(0, LineCount.ONE, VirtualChannel.VH1, MDATA);
        edge();
        port.read(0, LineCount.ONE, VirtualChannel.VH1, MDATA);
        edge();
        while (!port.rx.c0.rspValid) {
            edge();
        }
        if (swaps) {
            long first = port.answers.c0Request;
            port.answers.c0Request = Answers.NONE;
            port.rx.c0.rspValid = false;
            do {
                edge();
            } while (!port.rx.c0.rspValid);
            edge();
            port.rx.c0.readResponse(VirtualChannel.VH1, false, 0, MDATA);
            port.answers.c0Request = first;
        }
        settle();
    }
}
