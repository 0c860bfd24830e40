package dev.outboard.ccip.fiu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.checker.Checker;
import dev.outboard.ccip.checker.ErrorPolicy;
import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.testkit.Requirement;
import org.junit.jupiter.api.Test;

class InterruptsTest {
    private final Checker checker = new Checker(Profile.PAC_A10, ErrorPolicy.LOG);
    private final Interrupts interrupts = new Interrupts(checker);

    @Test
    @Requirement("CCIP-INT-8")
    void remembersThoseSomebodyWaitsForAndCountsTheOthersAsSpurious() {
        interrupts.register(2);
        interrupts.arrive(10, 2);
        interrupts.arrive(11, 2);
        interrupts.arrive(12, 1);
        assertThat(interrupts.isPending(2)).isTrue();
        assertThat(interrupts.take(2)).isEqualTo(2);
        assertThat(interrupts.isPending(2)).isFalse();
        assertThat(interrupts.isPending(1)).isFalse();
        assertThat(interrupts.spurious()).isEqualTo(1);
        assertThat(checker.count(Violation.HOST_INTR_NO_WAITER)).isEqualTo(1);
        assertThat(checker.reports().getFirst().toString()).contains("interrupt 1", "cycle 12");
        interrupts.unregister(2);
        interrupts.arrive(13, 2);
        assertThat(interrupts.spurious()).isEqualTo(2);
    }
}
