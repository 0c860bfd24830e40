package dev.outboard.dpa.checker;

import static dev.outboard.dpa.checker.Told.HEAP;
import static dev.outboard.dpa.checker.Told.NIC;
import static dev.outboard.dpa.checker.Told.POLL;
import static dev.outboard.dpa.checker.Told.T1;
import static dev.outboard.dpa.checker.Told.T2;
import static dev.outboard.dpa.checker.Told.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.AtomicOrder;
import dev.outboard.dpa.machine.Observer.ActorKind;
import dev.outboard.dpa.machine.Observer.Announcement;
import dev.outboard.dpa.machine.Observer.Ending;
import dev.outboard.dpa.machine.Observer.WordRole;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.Space;
import dev.outboard.testkit.Requirement;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What the roles of words ask for.
class QueueRulesTest {
    private static final long ENTRY = HEAP;
    private static final long BUFFER = HEAP + 64;
    private static final long RECORD = HEAP + 128;
    private static final long OWNER = HEAP + 192;
    private static final long SYNDROME = HEAP + 200;
    private static final int QUEUE = 7;
    private static final long REGISTER = 0x1C0;

    private final Told told = new Told();

    private void sendQueue() {
        told.checker.role(ENTRY, 64, WordRole.ENTRY, QUEUE);
        told.checker.doorbellOf(QUEUE, REGISTER);
        told.start();
        told.checker.begin(T1, false, 0);
    }

    @Test
    @Requirement("DPA-CHK-22")
    void anEntryIsRungForBeforeItsThreadEnds() {
        sendQueue();
        told.checker.store(T1, ENTRY, 8, 1);
        told.checker.memoryWriteback(T1, 2);
        told.checker.announce(T1, Announcement.DOORBELL, 1, REGISTER, 3);
        told.checker.end(T1, Ending.RETURN, 4);
        assertThat(told.rules()).isEmpty();
    }

    @Test
    @Requirement("DPA-CHK-22")
    void anEntryThatNobodyRingsForIsReportedAtTheEnd() {
        sendQueue();
        told.checker.store(T1, ENTRY, 8, 1);
        told.checker.memoryWriteback(T1, 2);
        told.checker.announce(T1, Announcement.DOORBELL, 1, 0x100, 3);
        told.checker.end(T1, Ending.RESCHEDULE, 4);
        assertThat(told.end())
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.rule()).isEqualTo(Rule.POSTED_NEVER_RUNG);
                    assertThat(finding.severity()).isEqualTo(Severity.WARNING);
                    assertThat(finding.first().place().line()).isEqualTo(1);
                    assertThat(finding.second().place().line()).isEqualTo(4);
                });
    }

    @Test
    @Requirement("DPA-CHK-22")
    void whoWaitsForAnEntryThatNobodyWasToldOfWaitsForEver() {
        sendQueue();
        told.checker.store(T1, ENTRY, 8, 1);
        told.checker.memoryWriteback(T1, 2);
        told.checker.load(T1, OWNER, 8, POLL);
        told.checker.stuck(new int[] {T1});
        assertThat(told.end())
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.rule()).isEqualTo(Rule.POSTED_NEVER_RUNG);
                    assertThat(finding.severity()).isEqualTo(Severity.ERROR);
                });
    }

    @Test
    @Requirement("DPA-CHK-22")
    void anotherThreadMayRingForWhatItKnowsOf() {
        sendQueue();
        told.checker.begin(T2, false, 0);
        told.checker.store(T1, ENTRY, 8, 1);
        told.checker.memoryWriteback(T1, 2);
        told.checker.store(T1, HEAP + 512, 8, 3);
        told.checker.load(T2, HEAP + 512, 8, POLL);
        told.checker.announce(T2, Announcement.DOORBELL, 1, REGISTER, 5);
        told.checker.end(T1, Ending.RETURN, 6);
        assertThat(told.rules()).isEmpty();
    }

    @Test
    @Requirement("DPA-CHK-22")
    void anotherThreadMayRingForItAfterItsThreadHasEnded() {
        for (boolean rings : new boolean[] {true, false}) {
            Told run = new Told();
            run.checker.role(ENTRY, 64, WordRole.ENTRY, QUEUE);
            run.checker.doorbellOf(QUEUE, REGISTER);
            run.start();
            run.checker.begin(T1, false, 0);
            run.checker.begin(T2, false, 0);
            run.checker.store(T1, ENTRY, 8, 1);
            run.checker.memoryWriteback(T1, 2);
            run.checker.store(T1, HEAP + 512, 8, 3);
            run.checker.end(T1, Ending.RETURN, 4);
            run.checker.load(T2, HEAP + 512, 8, POLL);
            if (rings) {
                run.checker.announce(T2, Announcement.DOORBELL, 1, REGISTER, 5);
            }
            assertThat(run.rules()).isEqualTo(rings ? List.of() : List.of(Rule.POSTED_NEVER_RUNG));
        }
    }

    @Test
    @Requirement("DPA-CHK-22")
    void aRecordOfAQueueWithADoorbellIsRungForToo() {
        told.checker.role(RECORD, 8, WordRole.RECORD, QUEUE);
        sendQueue();
        told.checker.store(T1, RECORD, 8, 1);
        told.checker.memoryWriteback(T1, 2);
        told.checker.end(T1, Ending.RETURN, 3);
        assertThat(told.rules()).containsExactly(Rule.POSTED_NEVER_RUNG);
    }

    /// The NIC looks at a receive queue's record by itself.
    @Test
    @Requirement("DPA-CHK-22")
    void aReceiveQueueIsToldByItsRecord() {
        told.checker.role(ENTRY, 64, WordRole.ENTRY, QUEUE);
        told.checker.role(RECORD, 8, WordRole.RECORD, QUEUE);
        told.start();
        told.checker.begin(T1, false, 0);
        told.checker.store(T1, ENTRY, 8, 1);
        told.checker.fence(T1, Space.MEMORY, Op.W, Op.W, 2);
        told.checker.store(T1, RECORD, 8, 3);
        told.checker.memoryWriteback(T1, 4);
        told.checker.end(T1, Ending.RETURN, 5);
        assertThat(told.rules()).isEmpty();
    }

    @Test
    @Requirement("DPA-CHK-4")
    void aRecordInAnotherSpaceThanItsEntriesNeedsAWriteback() {
        told.checker.role(ENTRY, 64, WordRole.ENTRY, QUEUE);
        told.checker.role(WINDOW, 8, WordRole.RECORD, QUEUE);
        told.start();
        told.checker.begin(T1, false, 0);
        told.checker.store(T1, ENTRY, 8, 1);
        told.checker.fence(T1, Space.MEMORY, Op.W, Op.W, 2);
        told.checker.store(T1, WINDOW, 8, 3);
        told.checker.windowWriteback(T1, 4);
        assertThat(told.end())
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.rows()).isEqualTo("1+8");
                    assertThat(finding.remedy().orElseThrow().operation())
                            .isEqualTo(Remedy.Operation.MEMORY_WRITEBACK);
                });
    }

    /// Of a fence both sides count: from loads to stores, or from stores to loads, it orders no two
    /// stores.
    @Test
    @Requirement({"DPA-CHK-4", "DPA-CHK-8", "DPA-FEN-1"})
    void onlyAFenceFromStoresToStoresOrdersARecordBehindItsEntries() {
        for (Op before : Op.values()) {
            for (Op after : Op.values()) {
                Told run = new Told();
                run.checker.role(ENTRY, 64, WordRole.ENTRY, QUEUE);
                run.checker.role(RECORD, 8, WordRole.RECORD, QUEUE);
                run.start();
                run.checker.begin(T1, false, 0);
                run.checker.store(T1, ENTRY, 8, 1);
                run.checker.fence(T1, Space.MEMORY, before, after, 2);
                run.checker.store(T1, RECORD, 8, 3);
                run.checker.memoryWriteback(T1, 4);
                boolean ordered = before.writes() && after.writes();
                assertThat(run.end())
                        .as("%s %s", before, after)
                        .extracting(finding -> finding.mismatch().orElseThrow().kind())
                        .isEqualTo(ordered ? List.of() : List.of(Mismatch.Kind.WRONG_OPS));
            }
        }
    }

    private static void storeToHeap(Told run, boolean atomic) {
        if (atomic) {
            run.checker.atomic(T1, HEAP, 8, AtomicOrder.RELAXED, true, 1);
        } else {
            run.checker.store(T1, HEAP, 8, 1);
        }
    }

    @Test
    @Requirement("DPA-CHK-11")
    void anAtomicIsInNoRace() {
        for (boolean atomic : new boolean[] {true, false}) {
            Told run = new Told().start();
            run.checker.begin(T1, false, 0);
            run.checker.begin(T2, false, 0);
            storeToHeap(run, atomic);
            run.checker.load(T2, HEAP, 8, 2);
            assertThat(run.rules()).isEqualTo(atomic ? List.of() : List.of(Rule.DATA_RACE));
        }
    }

    /// A completion is itself the sign; data needs an order to what told of it.
    @Test
    @Requirement("DPA-CHK-18")
    void onlyDataNeedsAnOrderToTheSign() {
        for (boolean completion : new boolean[] {true, false}) {
            Told run = new Told();
            if (completion) {
                run.checker.role(OWNER, 8, WordRole.COMPLETION, QUEUE);
            }
            run.start();
            run.checker.begin(T1, false, 0);
            run.checker.store(NIC, OWNER, 8, 0);
            run.checker.store(NIC, BUFFER, 8, 0);
            run.checker.load(T1, BUFFER, 8, POLL);
            run.checker.load(T1, OWNER, 8, 2);
            assertThat(run.rules())
                    .isEqualTo(completion ? List.of() : List.of(Rule.RELAXED_ORDER_POLL));
        }
    }

    /// To configure a window writes its stores back and drops its copies.
    @Test
    @Requirement({"DPA-CHK-2", "DPA-CHK-5", "DPA-MEM-16b"})
    void toConfigureAWindowIsAWritebackAndAnInvalidation() {
        for (boolean configured : new boolean[] {true, false}) {
            Told run = new Told().start();
            run.checker.begin(T1, true, 0);
            run.checker.load(T1, WINDOW + 64, 8, 1);
            run.checker.store(T1, WINDOW, 8, 2);
            run.checker.store(Told.HOST, WINDOW + 64, 8, 0);
            run.checker.announce(Told.HOST, Announcement.CALL, 1, 0, 0);
            run.checker.receive(T1, 1, 3);
            if (configured) {
                run.checker.configureWindow(T1, 4);
            }
            run.checker.load(T1, WINDOW + 64, 8, 5);
            run.checker.announce(T1, Announcement.INTERRUPT, 2, 0x280, 6);
            run.checker.receive(Told.HOST, 2, 0);
            run.checker.load(Told.HOST, WINDOW, 8, 0);
            assertThat(run.rules())
                    .isEqualTo(
                            configured
                                    ? List.of()
                                    : List.of(
                                            Rule.MISSING_READ_INV, Rule.MISSING_WINDOW_WRITEBACK));
        }
    }

    /// What a doorbell has told of needs no order to a later record.
    @Test
    @Requirement("DPA-CHK-4")
    void anEntryThatWasRungForNeedsNoFenceToTheNextRecord() {
        told.checker.role(RECORD, 8, WordRole.RECORD, QUEUE);
        sendQueue();
        told.checker.store(T1, ENTRY, 8, 1);
        told.checker.announce(T1, Announcement.DOORBELL, 1, REGISTER, 2);
        told.checker.store(T1, RECORD, 8, 3);
        assertThat(told.rules()).isEmpty();
    }

    /// DPA-OPM-8: an atomic is performed when it executes, so that no fence has to follow it.
    @Test
    @Requirement("DPA-CHK-3")
    void anAtomicIsThereForWhoHasSeenALaterStore() {
        for (boolean atomic : new boolean[] {true, false}) {
            Told run = new Told().start();
            run.checker.begin(T1, false, 0);
            run.checker.begin(T2, false, 0);
            storeToHeap(run, atomic);
            run.checker.store(T1, HEAP + 64, 8, 2);
            run.checker.load(T2, HEAP + 64, 8, POLL);
            run.checker.load(T2, HEAP, 8, 3);
            assertThat(run.rules()).isEqualTo(atomic ? List.of() : List.of(Rule.MISSING_FENCE));
        }
    }

    /// A host that is not watched may read as soon as the call has returned.
    @Test
    @Requirement("DPA-CHK-2")
    void aCallReturnsAfterItsWindowStoresAreWrittenBack() {
        for (boolean back : new boolean[] {true, false}) {
            Checker checker = new Checker(Profile.SEED, false);
            checker.actor(0, ActorKind.THREAD, "T");
            checker.started();
            checker.begin(0, false, 0);
            checker.store(0, WINDOW, 1, 1);
            if (back) {
                checker.windowWriteback(0, 2);
            }
            checker.announce(0, Announcement.RETURN, 1, 0, 3);
            checker.end(0, Ending.RETURN, 3);
            checker.finished();
            assertThat(checker.findings())
                    .extracting(Finding::rule)
                    .isEqualTo(back ? List.of() : List.of(Rule.MISSING_WINDOW_WRITEBACK));
        }
    }

    private void post(boolean written) {
        told.start();
        told.checker.begin(T1, false, 0);
        told.checker.begin(T2, false, 0);
        told.checker.store(T1, BUFFER, 8, 1);
        told.checker.memoryWriteback(T1, 2);
        told.checker.announce(T1, Announcement.DOORBELL, 1, REGISTER, 3);
        told.checker.posted(T1, 1, BUFFER, 64, written, 3);
        told.checker.receive(NIC, 1, 0);
        told.checker.load(NIC, BUFFER, 64, 0);
    }

    private void complete() {
        told.checker.completed(NIC, 1);
        told.checker.order(NIC);
        told.checker.store(NIC, OWNER, 8, 0);
        told.checker.load(T1, OWNER, 8, POLL);
    }

    @Test
    @Requirement({"DPA-CHK-9", "DPA-RD-6"})
    void aBufferIsTouchedAgainAfterItsCompletionWasSeen() {
        post(false);
        complete();
        told.checker.store(T1, BUFFER + 8, 8, 5);
        assertThat(told.rules()).isEmpty();
    }

    @Test
    @Requirement({"DPA-CHK-9", "DPA-RD-6"})
    void aBufferIsNotTouchedBefore() {
        post(false);
        told.checker.store(T1, BUFFER + 64, 8, 4);
        assertThat(told.rules()).isEmpty();
        told.checker.store(T1, BUFFER + 8, 8, 5);
        assertThat(told.end())
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.rule()).isEqualTo(Rule.BUFFER_IN_FLIGHT);
                    assertThat(finding.first().place().line()).isEqualTo(3);
                    assertThat(finding.second().place().line()).isEqualTo(5);
                });
    }

    /// That the NIC is done is not enough: the thread has to know.
    @Test
    @Requirement("DPA-CHK-9")
    void aCompletionThatTheThreadHasNotSeenDoesNotCount() {
        post(false);
        told.checker.completed(NIC, 1);
        told.checker.store(NIC, OWNER, 8, 0);
        told.checker.store(T1, BUFFER + 8, 8, 5);
        assertThat(told.rules()).containsExactly(Rule.BUFFER_IN_FLIGHT);
    }

    @Test
    @Requirement("DPA-CHK-9")
    void aSlotThatAnothersDoorbellCoversIsNotTouchedEither() {
        post(false);
        told.checker.store(T2, BUFFER + 16, 8, 6);
        assertThat(told.rules()).containsExactly(Rule.BUFFER_IN_FLIGHT);
    }

    /// DPA-MEM-2: the own store is still on its way when the host's has arrived.
    @Test
    @Requirement("DPA-CHK-9")
    void anOwnWindowStoreMustNotDrainOverWhatTheHostWroteSince() {
        for (boolean back : new boolean[] {true, false}) {
            Told run = new Told().start();
            run.checker.begin(T1, false, 0);
            run.checker.store(T1, WINDOW, 8, 1);
            if (back) {
                run.checker.windowWriteback(T1, 2);
            }
            run.checker.announce(T1, Announcement.INTERRUPT, 1, 0x280, 3);
            run.checker.receive(Told.HOST, 1, 4);
            run.checker.store(Told.HOST, WINDOW, 8, 5);
            assertThat(run.rules()).isEqualTo(back ? List.of() : List.of(Rule.BUFFER_IN_FLIGHT));
        }
    }

    /// The wrong operation that stands there is named, and the right one.
    @Test
    @Requirement("DPA-CHK-8")
    void aWrongSpaceAndAWrongPairAreNamedWithWhatIsNeeded() {
        for (Space space : new Space[] {Space.MMIO, Space.MEMORY}) {
            Told run = new Told().start();
            run.checker.begin(T1, false, 0);
            run.checker.begin(T2, false, 0);
            run.checker.store(T1, BUFFER, 8, 1);
            run.checker.fence(T1, space, Op.W, space == Space.MMIO ? Op.W : Op.R, 2);
            run.checker.store(T1, OWNER, 8, 3);
            run.checker.load(T2, OWNER, 8, POLL);
            run.checker.load(T2, BUFFER, 8, 5);
            assertThat(run.end())
                    .singleElement()
                    .satisfies(finding -> {
                        assertThat(finding.rows()).isEqualTo("3+8");
                        Mismatch mismatch = finding.mismatch().orElseThrow();
                        assertThat(mismatch.kind())
                                .isEqualTo(
                                        space == Space.MMIO
                                                ? Mismatch.Kind.WRONG_SPACE
                                                : Mismatch.Kind.WRONG_OPS);
                        assertThat(mismatch.found())
                                .isEqualTo(
                                        space == Space.MMIO
                                                ? "fence(MMIO,W,W)"
                                                : "fence(MEMORY,W,R)");
                        assertThat(mismatch.spot().place().line()).isEqualTo(2);
                        assertThat(mismatch.needed()).isEqualTo(Remedy.Operation.MEMORY_FENCE);
                    });
        }
    }

    private void failure(boolean looks) {
        told.checker.role(OWNER, 8, WordRole.COMPLETION, QUEUE);
        told.checker.role(SYNDROME, 8, WordRole.SYNDROME, QUEUE);
        told.start();
        told.checker.begin(T1, false, 0);
        told.checker.store(NIC, SYNDROME, 8, 0);
        told.checker.order(NIC);
        told.checker.store(NIC, OWNER, 8, 0);
        told.checker.failed(NIC, OWNER, 8);
        for (int round = 0; round < 4; round++) {
            told.checker.load(T1, OWNER, 8, POLL);
            told.checker.spin(T1, POLL);
            if (looks) {
                told.checker.load(T1, SYNDROME, 8, 5);
            }
        }
    }

    @Test
    @Requirement("DPA-CHK-19")
    void aWaitLoopLooksForFailures() {
        failure(true);
        assertThat(told.rules()).isEmpty();
    }

    @Test
    @Requirement("DPA-CHK-19")
    void aWaitLoopThatTakesAFailureForNotYetIsBlind() {
        failure(false);
        assertThat(told.end())
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.rule()).isEqualTo(Rule.WAIT_BLIND_TO_ERROR);
                    assertThat(finding.second().place().line()).isEqualTo(POLL);
                });
    }

    /// After a fault it is not the queue that matters.
    @Test
    @Requirement("DPA-CHK-22")
    void aThreadThatFailedIsNotAskedForItsEntries() {
        sendQueue();
        told.checker.store(T1, ENTRY, 8, 1);
        told.checker.end(T1, Ending.FAULT, 2);
        assertThat(told.rules()).isEmpty();
    }
}
