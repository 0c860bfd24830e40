package dev.outboard.ccip.checker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.C0Rx;
import dev.outboard.ccip.wire.C0Tx;
import dev.outboard.ccip.wire.C1Rx;
import dev.outboard.ccip.wire.C1Tx;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/// The wires of a port that a test drives by hand on both sides, with a checker that looks at them.
/// Begins after the reset at power-up.
final class Port {
    final Checker checker;
    final Tx tx = new Tx();
    final Rx rx = new Rx();
    private final Answers answers = new Answers();
    private final List<Report> reports = new ArrayList<>();
    private long cycle;

    Port(Profile profile) {
        this(profile, ErrorPolicy.LOG);
    }

    Port(Profile profile, ErrorPolicy policy) {
        checker = new Checker(profile, policy).onReport(Severity.INFO, reports::add);
        reset(Checker.RESET_CYCLES);
    }

    /// The cycle that comes next.
    long cycle() {
        return cycle;
    }

    /// One edge of pClk; then all valid wires are 0.
    Port step() {
        checker.clock(cycle++, tx, rx, answers);
        tx.idle();
        rx.idle();
        answers.c0Request = Answers.NONE;
        answers.c1Request = Answers.NONE;
        return this;
    }

    Port idle(long cycles) {
        for (long i = 0; i < cycles; i++) {
            step();
        }
        return this;
    }

    /// A reset of so many cycles, and the cycle after it, in which the AFU sees that it ended.
    Port reset(long cycles) {
        rx.softReset = true;
        idle(cycles);
        rx.softReset = false;
        return step();
    }

    /// One cycle with this request on Tx C0.
    Port c0(Consumer<C0Tx> request) {
        request.accept(tx.c0);
        return step();
    }

    /// One cycle with this beat on Tx C1.
    Port c1(Consumer<C1Tx> beat) {
        beat.accept(tx.c1);
        return step();
    }

    /// One cycle with this MMIO read response on Tx C2.
    Port c2(int tid) {
        tx.c2.respond(tid, 0);
        return step();
    }

    /// One cycle with this on Rx C0, which answers nothing.
    Port rx0(Consumer<C0Rx> beat) {
        beat.accept(rx.c0);
        return step();
    }

    /// One cycle with this response on Rx C0.
    Port answer0(long request, Consumer<C0Rx> response) {
        answers.c0Request = request;
        return rx0(response);
    }

    /// One cycle with this response on Rx C1.
    Port answer1(long request, Consumer<C1Rx> response) {
        answers.c1Request = request;
        response.accept(rx.c1);
        return step();
    }

    Port finish() {
        checker.finish(cycle - 1);
        return this;
    }

    /// Exactly these violations were reported, no other, each as often as it is named.
    ///
    /// @return the first of the reports
    Report reported(Violation... violations) {
        assertThat(reports).extracting(Report::violation).containsExactlyInAnyOrder(violations);
        Map<Violation, Long> counts = new EnumMap<>(Violation.class);
        Arrays.stream(violations).forEach(violation -> counts.merge(violation, 1L, Long::sum));
        assertThat(checker.counts()).isEqualTo(counts);
        return reports.getFirst();
    }

    void reportedNothing() {
        assertThat(reports).isEmpty();
    }
}
