package dev.outboard.dpa.checker;

import static dev.outboard.dpa.checker.Told.HEAP;
import static dev.outboard.dpa.checker.Told.NIC;
import static dev.outboard.dpa.checker.Told.POLL;
import static dev.outboard.dpa.checker.Told.T1;
import static dev.outboard.dpa.checker.Told.T2;
import static dev.outboard.dpa.checker.Told.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Observer.Announcement;
import dev.outboard.dpa.machine.Observer.Counter;
import dev.outboard.dpa.machine.Observer.Ending;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.Space;
import dev.outboard.testkit.Requirement;
import java.util.List;
import org.junit.jupiter.api.Test;

/// How activations begin, wait and end, and what they do to no purpose.
class ActivationRulesTest {
    private static final int QUEUE = 3;

    private final Told told = new Told();

    private void handler(boolean alwaysArmed) {
        told.checker.attach(QUEUE, T1, alwaysArmed);
        told.start();
        told.checker.fire(QUEUE);
        told.checker.begin(T1, true, 0);
    }

    @Test
    @Requirement("DPA-CHK-13")
    void aHandlerArmsItsQueueBeforeItReschedules() {
        handler(false);
        told.checker.arm(QUEUE);
        told.checker.end(T1, Ending.RESCHEDULE, 1);
        assertThat(told.rules()).isEmpty();
    }

    @Test
    @Requirement("DPA-CHK-13")
    void anUnarmedQueueWakesNobody() {
        handler(false);
        told.checker.end(T1, Ending.RESCHEDULE, 1);
        assertThat(told.end())
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.rule()).isEqualTo(Rule.UNARMED_RESCHEDULE);
                    assertThat(finding.severity()).isEqualTo(Severity.WARNING);
                });
    }

    @Test
    @Requirement("DPA-CHK-13")
    void entriesThatWaitInAnUnarmedQueueAreAnError() {
        handler(false);
        told.checker.waiting(QUEUE, 2);
        told.checker.end(T1, Ending.RESCHEDULE, 1);
        assertThat(told.end())
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.rule()).isEqualTo(Rule.UNARMED_RESCHEDULE);
                    assertThat(finding.severity()).isEqualTo(Severity.ERROR);
                });
    }

    /// The doorbell arms the queue at once, though the NIC sees it later.
    @Test
    @Requirement("DPA-CHK-13")
    void ringingTheArmDoorbellArmsTheQueue() {
        told.checker.doorbellOf(QUEUE, 0x100);
        handler(false);
        told.checker.announce(T1, Announcement.DOORBELL, 1, 0x100, 1);
        told.checker.end(T1, Ending.RESCHEDULE, 2);
        assertThat(told.rules()).isEmpty();
    }

    @Test
    @Requirement({"DPA-CHK-13", "DPA-FXE-10"})
    void anEventDuringAnActivationLeadsToOneMore() {
        handler(false);
        told.checker.arm(QUEUE);
        told.checker.fire(QUEUE);
        told.checker.end(T1, Ending.RESCHEDULE, 1);
        assertThat(told.rules()).isEmpty();
        told.checker.begin(T1, true, 0);
        told.checker.end(T1, Ending.RESCHEDULE, 2);
        assertThat(told.rules()).containsExactly(Rule.UNARMED_RESCHEDULE);
    }

    @Test
    @Requirement("DPA-CHK-13")
    void anAlwaysArmedQueueNeedsNoArming() {
        handler(true);
        told.checker.end(T1, Ending.RESCHEDULE, 1);
        assertThat(told.rules()).isEmpty();
    }

    @Test
    @Requirement({"DPA-CHK-13", "DPA-CHK-14"})
    void whoFinishesNeedsNoArming() {
        handler(false);
        told.checker.end(T1, Ending.FINISH, 1);
        assertThat(told.rules()).isEmpty();
    }

    @Test
    @Requirement("DPA-CHK-14")
    void aHandlerDoesNotSimplyReturn() {
        handler(true);
        told.checker.end(T1, Ending.RETURN, 1);
        assertThat(told.rules()).containsExactly(Rule.PLAIN_RETURN);
    }

    @Test
    @Requirement("DPA-CHK-14")
    void aKernelReturns() {
        told.start();
        told.checker.begin(T1, false, 0);
        told.checker.end(T1, Ending.RETURN, 1);
        assertThat(told.rules()).isEmpty();
    }

    /// DPA-MEM-14: copies survive the end of an activation.
    @Test
    @Requirement("DPA-CHK-5")
    void theStartOfAnActivationIsAnAcquire() {
        for (boolean drop : new boolean[] {true, false}) {
            Told run = new Told().start();
            run.checker.begin(T1, true, 0);
            run.checker.load(T1, WINDOW, 8, 1);
            run.checker.end(T1, Ending.RESCHEDULE, 2);
            run.checker.store(NIC, WINDOW, 8, 0);
            run.checker.order(NIC);
            run.checker.announce(NIC, Announcement.CALL, 1, 0, 0);
            run.checker.begin(T1, true, 1);
            if (drop) {
                run.checker.windowReadInv(T1, 3);
            }
            run.checker.load(T1, WINDOW, 8, 4);
            assertThat(run.rules()).isEqualTo(drop ? List.of() : List.of(Rule.MISSING_READ_INV));
        }
    }

    @Test
    @Requirement("DPA-CHK-16")
    void countersOfOneUnitMayBeCompared() {
        told.start();
        told.checker.begin(T1, false, 0);
        told.checker.counter(T1, Counter.CYCLES, 4, 1);
        told.checker.counter(T1, Counter.TIME, 5, 2);
        told.checker.counter(T1, Counter.CYCLES, 4, 3);
        told.checker.end(T1, Ending.RESCHEDULE, 4);
        told.checker.begin(T1, false, 0);
        told.checker.counter(T1, Counter.CYCLES, 6, 1);
        assertThat(told.rules()).isEmpty();
    }

    @Test
    @Requirement("DPA-CHK-16")
    void countersOfTwoUnitsHaveNothingToDoWithEachOther() {
        told.start();
        told.checker.begin(T1, false, 0);
        told.checker.counter(T1, Counter.CYCLES, 4, 1);
        told.checker.counter(T1, Counter.CYCLES, 5, 3);
        assertThat(told.end())
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.rule()).isEqualTo(Rule.COUNTER_ACROSS_EU);
                    assertThat(finding.first().place().line()).isEqualTo(1);
                    assertThat(finding.second().place().line()).isEqualTo(3);
                });
    }

    @Test
    @Requirement("DPA-CHK-6c")
    void noInvalidationRefreshesAWordThatHidesBehindAnOwnStore() {
        for (boolean back : new boolean[] {true, false}) {
            Told run = new Told().start();
            run.checker.begin(T1, false, 0);
            run.checker.store(T1, WINDOW, 8, 1);
            if (back) {
                run.checker.windowWriteback(T1, 2);
            }
            for (int round = 0; round < 3; round++) {
                run.checker.load(T1, WINDOW, 8, POLL);
                run.checker.spin(T1, POLL);
                run.checker.windowReadInv(T1, 4);
            }
            assertThat(run.rules()).isEqualTo(back ? List.of() : List.of(Rule.POLL_OF_OWN_STORE));
        }
    }

    /// Once per pair of places; a loop that waits for a single word is no race.
    @Test
    @Requirement("DPA-CHK-11")
    void aRaceIsReportedOncePerPairOfPlaces() {
        told.start();
        told.checker.begin(T1, false, 0);
        told.checker.begin(T2, false, 0);
        for (int round = 0; round < 5; round++) {
            told.checker.store(T1, HEAP + 64L * round, 8, 1);
            told.checker.store(T2, HEAP + 64L * round, 8, 2);
        }
        told.checker.load(T2, HEAP + 512, 8, POLL);
        told.checker.store(T1, HEAP + 512, 8, 3);
        told.checker.load(T2, HEAP + 512, 8, POLL);
        assertThat(told.rules()).containsExactly(Rule.DATA_RACE);
    }

    @Test
    @Requirement("DPA-CHK-21")
    void whoWaitsForWhatNobodyWritesIsNamedWithTheLastWriter() {
        told.start();
        told.checker.begin(T1, false, 0);
        told.checker.store(T2, HEAP, 8, 1);
        told.checker.load(T1, HEAP, 8, POLL);
        told.checker.stuck(new int[] {T1});
        assertThat(told.end())
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.rule()).isEqualTo(Rule.WAIT_FOR_NOTHING);
                    assertThat(finding.first().actor()).isEqualTo("T2");
                    assertThat(finding.first().place().line()).isEqualTo(1);
                    assertThat(finding.second().actor()).isEqualTo("T1");
                });
    }

    private List<Rule> redundant(boolean stores) {
        Told run = new Told(Profile.SEED, true).start();
        run.checker.begin(T1, false, 0);
        for (int round = 0; round < 3; round++) {
            if (stores) {
                run.checker.store(T1, HEAP, 8, 1);
                run.checker.store(T1, WINDOW, 8, 2);
                run.checker.load(T1, WINDOW + 64, 8, 3);
            }
            run.checker.fence(T1, Space.MEMORY, Op.W, Op.W, 4);
            run.checker.memoryWriteback(T1, 5);
            run.checker.windowWriteback(T1, 6);
            run.checker.windowReadInv(T1, 7);
        }
        return run.rules();
    }

    @Test
    @Requirement("DPA-CHK-17")
    void barriersWithNothingToDoAreNamedOnRequest() {
        assertThat(redundant(false)).hasSize(4).containsOnly(Rule.REDUNDANT);
        assertThat(redundant(true)).isEmpty();
    }

    @Test
    @Requirement("DPA-CHK-17")
    void nobodyHearsOfThemUnasked() {
        told.start();
        told.checker.begin(T1, false, 0);
        for (int round = 0; round < 3; round++) {
            told.checker.memoryWriteback(T1, 5);
        }
        assertThat(told.rules()).isEmpty();
    }

    @Test
    @Requirement("DPA-CHK-13")
    void theQueueOfAnotherHandlerIsItsOwnAffair() {
        told.checker.attach(QUEUE, T2, false);
        told.checker.attach(QUEUE + 1, T1, true);
        told.start();
        told.checker.fire(QUEUE);
        told.checker.begin(T2, true, 0);
        told.checker.begin(T1, true, 0);
        told.checker.end(T1, Ending.RESCHEDULE, 1);
        assertThat(told.rules()).isEmpty();
        told.checker.fire(QUEUE);
        told.checker.begin(T1, true, 0);
        told.checker.end(T2, Ending.RESCHEDULE, 2);
        assertThat(told.rules()).isEmpty();
    }

    @Test
    @Requirement({"DPA-CHK-13", "DPA-CHK-14"})
    void aHandlerThatReturnsUnarmedHasBothFaults() {
        handler(false);
        told.checker.end(T1, Ending.RETURN, 1);
        assertThat(told.rules()).containsExactly(Rule.PLAIN_RETURN, Rule.UNARMED_RESCHEDULE);
    }

    @Test
    @Requirement("DPA-CHK-13")
    void entriesThatWereTakenDoNotWait() {
        handler(false);
        told.checker.waiting(QUEUE, 2);
        told.checker.waiting(QUEUE, 0);
        told.checker.end(T1, Ending.RESCHEDULE, 1);
        assertThat(told.end())
                .singleElement()
                .satisfies(finding -> assertThat(finding.severity()).isEqualTo(Severity.WARNING));
    }

    @Test
    @Requirement("DPA-CHK-14")
    void whatWasAHandlerOnceMayReturnAsAKernel() {
        handler(true);
        told.checker.end(T1, Ending.RESCHEDULE, 1);
        told.checker.begin(T1, false, 0);
        told.checker.end(T1, Ending.RETURN, 2);
        assertThat(told.rules()).isEmpty();
    }

    private Told redundantRun() {
        Told run = new Told(Profile.SEED, true).start();
        run.checker.begin(T1, false, 0);
        return run;
    }

    @Test
    @Requirement("DPA-CHK-17")
    void aBarrierThatRanOnceOrOnceHadToDoIsNotNamed() {
        Told run = redundantRun();
        run.checker.memoryWriteback(T1, 1);
        run.checker.store(T1, AddressMap.GLOBALS, 8, 2);
        for (int round = 0; round < 3; round++) {
            run.checker.memoryWriteback(T1, 3);
        }
        assertThat(run.rules()).isEmpty();
    }

    @Test
    @Requirement("DPA-CHK-17")
    void aFenceHasToDoWithStoresOfItsSpaceAndWithCopies() {
        Told run = redundantRun();
        run.checker.store(T1, HEAP, 8, 1);
        run.checker.load(T1, WINDOW, 8, 2);
        for (int round = 0; round < 3; round++) {
            run.checker.fence(T1, Space.MMIO, Op.R, Op.R, 3);
            run.checker.fence(T1, Space.MMIO, Op.W, Op.W, 4);
        }
        assertThat(run.end())
                .singleElement()
                .satisfies(finding -> assertThat(finding.first().place().line()).isEqualTo(4));
    }
}
