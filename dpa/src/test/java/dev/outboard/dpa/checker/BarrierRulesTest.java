package dev.outboard.dpa.checker;

import static dev.outboard.dpa.checker.Told.HEAP;
import static dev.outboard.dpa.checker.Told.HOST;
import static dev.outboard.dpa.checker.Told.NIC;
import static dev.outboard.dpa.checker.Told.POLL;
import static dev.outboard.dpa.checker.Told.T1;
import static dev.outboard.dpa.checker.Told.T2;
import static dev.outboard.dpa.checker.Told.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.AtomicOrder;
import dev.outboard.dpa.machine.Observer.Announcement;
import dev.outboard.dpa.machine.Observer.Ending;
import dev.outboard.dpa.machine.Observer.WordRole;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.Space;
import dev.outboard.testkit.Requirement;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What fences and cache operations do, and what they leave alone.
class BarrierRulesTest {
    private static final long FLAG = HEAP + 64;
    private static final long REGISTER = 0x1C0;

    private static Told run(Profile profile) {
        Told run = new Told(profile, false).start();
        run.checker.begin(T1, false, 0);
        run.checker.begin(T2, false, 0);
        return run;
    }

    private static Told run() {
        return run(Profile.SEED);
    }

    private static void ring(Told run, int observer, int site) {
        run.checker.announce(T1, Announcement.DOORBELL, 1, REGISTER, site);
        run.checker.receive(observer, 1, 0);
    }

    @Test
    @Requirement({"DPA-CCH-1", "DPA-CHK-2"})
    void anInvalidationWritesNothingBack() {
        Told run = run();
        run.checker.store(T1, WINDOW, 8, 1);
        run.checker.windowReadInv(T1, 2);
        ring(run, HOST, 3);
        run.checker.load(HOST, WINDOW, 8, 0);
        assertThat(run.rules()).containsExactly(Rule.MISSING_WINDOW_WRITEBACK);
    }

    /// The thread reads what it has stored, whatever was invalidated or ended since.
    @Test
    @Requirement({"DPA-CCH-1", "DPA-CHK-6c", "DPA-MEM-14"})
    void anOwnStoreOutlivesAnInvalidationAndAnActivation() {
        for (boolean ends : new boolean[] {true, false}) {
            Told run = run();
            run.checker.store(T1, WINDOW, 8, 1);
            if (ends) {
                run.checker.end(T1, Ending.RESCHEDULE, 2);
                run.checker.begin(T1, false, 0);
            } else {
                run.checker.windowReadInv(T1, 2);
            }
            run.checker.load(T1, WINDOW, 8, POLL);
            assertThat(run.rules()).containsExactly(Rule.POLL_OF_OWN_STORE);
        }
    }

    @Test
    @Requirement({"DPA-CCH-3", "DPA-CHK-1"})
    void aWritebackIsForAllOfDpaMemory() {
        for (long address : new long[] {HEAP, AddressMap.GLOBALS}) {
            for (boolean back : new boolean[] {true, false}) {
                Told run = run();
                run.checker.store(T1, address, 8, 1);
                if (back) {
                    run.checker.memoryWriteback(T1, 2);
                }
                ring(run, NIC, 3);
                run.checker.load(NIC, address, 8, 0);
                assertThat(run.rules())
                        .isEqualTo(back ? List.of() : List.of(Rule.MISSING_MEMORY_WRITEBACK));
            }
        }
    }

    /// In COHERENT the NIC sees what is performed; that it is performed before the doorbell takes a
    /// fence there too.
    @Test
    @Requirement({"DPA-CCH-7", "DPA-CHK-1"})
    void whereTheNicSeesEverythingAnOrderIsEnough() {
        for (boolean fence : new boolean[] {true, false}) {
            Told run = run(Profile.COHERENT);
            run.checker.store(T1, HEAP, 8, 1);
            if (fence) {
                run.checker.fence(T1, Space.SYSTEM, Op.W, Op.W, 2);
            }
            ring(run, NIC, 3);
            run.checker.load(NIC, HEAP, 8, 0);
            assertThat(run.rules())
                    .isEqualTo(fence ? List.of() : List.of(Rule.MISSING_MEMORY_WRITEBACK));
        }
    }

    /// In BF3 a fence from loads to loads invalidates, and no other one does.
    @Test
    @Requirement({"DPA-CCH-7", "DPA-CHK-5"})
    void onlyAFenceFromLoadsToLoadsInvalidates() {
        for (Op before : Op.values()) {
            for (Op after : Op.values()) {
                Told run = run(Profile.BF3);
                run.checker.load(T1, WINDOW, 8, 1);
                run.checker.store(HOST, WINDOW, 8, 0);
                run.checker.announce(HOST, Announcement.CALL, 1, 0, 0);
                run.checker.receive(T1, 1, 2);
                run.checker.fence(T1, Space.MMIO, before, after, 3);
                run.checker.load(T1, WINDOW, 8, 4);
                boolean dropped = before.reads() && after.reads();
                assertThat(run.rules())
                        .as("%s %s", before, after)
                        .isEqualTo(dropped ? List.of() : List.of(Rule.MISSING_READ_INV));
            }
        }
    }

    /// Whoever goes by a later store may have overtaken the earlier one, and stored first.
    @Test
    @Requirement("DPA-CHK-3")
    void aStoreOverAnotherNeedsAnOrderToo() {
        for (boolean fence : new boolean[] {true, false}) {
            Told run = run();
            run.checker.store(T1, HEAP, 8, 1);
            if (fence) {
                run.checker.fence(T1, Space.MEMORY, Op.W, Op.W, 2);
            }
            run.checker.store(T1, FLAG, 8, 3);
            run.checker.load(T2, FLAG, 8, POLL);
            run.checker.store(T2, HEAP, 8, 4);
            assertThat(run.rules()).isEqualTo(fence ? List.of() : List.of(Rule.MISSING_FENCE));
        }
    }

    /// A flag tells something by itself, and needs no order to another one.
    @Test
    @Requirement("DPA-CHK-3")
    void aFlagNeedsNoOrderToAnotherFlag() {
        for (boolean flag : new boolean[] {true, false}) {
            Told run = new Told();
            if (flag) {
                run.checker.role(HEAP, 8, WordRole.FLAG, 0);
            }
            run.start();
            run.checker.store(T1, HEAP, 8, 1);
            run.checker.store(T1, FLAG, 8, 2);
            run.checker.load(T2, FLAG, 8, POLL);
            run.checker.load(T2, HEAP, 8, 3);
            assertThat(run.rules()).isEqualTo(flag ? List.of() : List.of(Rule.MISSING_FENCE));
        }
    }

    /// No fence within DPA memory reaches a flag in a window.
    @Test
    @Requirement({"DPA-CHK-3", "DPA-FEN-2"})
    void dataInMemoryOfAFlagInAWindowNeedsAWriteback() {
        for (boolean window : new boolean[] {true, false}) {
            Told run = run();
            long flag = window ? WINDOW : FLAG;
            run.checker.store(T1, HEAP, 8, 1);
            run.checker.store(T1, flag, 8, 2);
            run.checker.load(T2, flag, 8, POLL);
            run.checker.load(T2, HEAP, 8, 3);
            assertThat(run.end())
                    .singleElement()
                    .satisfies(finding -> {
                        assertThat(finding.rule()).isEqualTo(Rule.MISSING_FENCE);
                        assertThat(finding.remedy().orElseThrow().operation())
                                .isEqualTo(
                                        window
                                                ? Remedy.Operation.MEMORY_WRITEBACK
                                                : Remedy.Operation.MEMORY_FENCE);
                    });
        }
    }

    /// Who has read the flag itself lacks the order; who only heard of it, the writeback.
    @Test
    @Requirement({"DPA-CHK-2", "DPA-CHK-3"})
    void whoHeardOfAFlagFromAnotherThreadLacksTheWriteback() {
        for (boolean heard : new boolean[] {true, false}) {
            Told run = run();
            run.checker.store(T1, WINDOW, 8, 1);
            run.checker.store(T1, WINDOW + 64, 8, 2);
            if (heard) {
                run.checker.load(T2, WINDOW + 64, 8, POLL);
                run.checker.announce(T2, Announcement.DOORBELL, 1, REGISTER, 3);
                run.checker.receive(HOST, 1, 0);
            } else {
                run.checker.load(HOST, WINDOW + 64, 8, POLL);
            }
            run.checker.load(HOST, WINDOW, 8, 0);
            assertThat(run.rules())
                    .containsExactly(heard ? Rule.MISSING_WINDOW_WRITEBACK : Rule.MISSING_FENCE);
        }
    }

    /// T1 stores data and a flag, and another actor reads both; between stands a fence from stores
    /// to loads.
    private static Mismatch.Kind kind(Space space, long data, int reader) {
        Told run = run();
        run.checker.store(T1, data, 8, 1);
        run.checker.fence(T1, space, Op.W, Op.R, 2);
        run.checker.store(T1, data + 64, 8, 3);
        run.checker.load(reader, data + 64, 8, POLL);
        run.checker.load(reader, data, 8, 4);
        return run.end().getFirst().mismatch().orElseThrow().kind();
    }

    @Test
    @Requirement("DPA-CHK-8")
    void ofAFenceInTheRightSpaceThePairIsWrong() {
        assertThat(kind(Space.SYSTEM, HEAP, T2)).isEqualTo(Mismatch.Kind.WRONG_OPS);
        assertThat(kind(Space.MEMORY, HEAP, T2)).isEqualTo(Mismatch.Kind.WRONG_OPS);
        assertThat(kind(Space.MMIO, HEAP, T2)).isEqualTo(Mismatch.Kind.WRONG_SPACE);
        assertThat(kind(Space.HEAP, AddressMap.GLOBALS, T2)).isEqualTo(Mismatch.Kind.WRONG_SPACE);
        assertThat(kind(Space.SYSTEM, WINDOW, HOST)).isEqualTo(Mismatch.Kind.WRONG_OPS);
        assertThat(kind(Space.MMIO, WINDOW, HOST)).isEqualTo(Mismatch.Kind.WRONG_OPS);
        assertThat(kind(Space.MEMORY, WINDOW, HOST)).isEqualTo(Mismatch.Kind.WRONG_SPACE);
        assertThat(kind(Space.HEAP, WINDOW, HOST)).isEqualTo(Mismatch.Kind.WRONG_SPACE);
    }

    @Test
    @Requirement("DPA-CHK-8")
    void onlyWhatStandsBetweenIsNamed() {
        for (int at = 0; at < 3; at++) {
            Told run = run();
            fence(run, at == 0);
            run.checker.store(T1, HEAP, 8, 1);
            fence(run, at == 1);
            run.checker.store(T1, FLAG, 8, 3);
            fence(run, at == 2);
            run.checker.load(T2, FLAG, 8, POLL);
            run.checker.load(T2, HEAP, 8, 4);
            assertThat(run.end().getFirst().mismatch().isPresent()).isEqualTo(at == 1);
        }
    }

    private static void fence(Told run, boolean stands) {
        if (stands) {
            run.checker.fence(T1, Space.MMIO, Op.W, Op.W, 2);
        }
    }

    @Test
    @Requirement({"DPA-CHK-12", "DPA-CCH-5"})
    void aWindowWritebackByAnotherThreadIsNone() {
        Told run = run();
        run.checker.store(T1, WINDOW, 8, 1);
        run.checker.store(T1, FLAG, 8, 2);
        run.checker.load(T2, FLAG, 8, POLL);
        run.checker.windowWriteback(T2, 3);
        run.checker.announce(T2, Announcement.DOORBELL, 1, REGISTER, 4);
        run.checker.receive(HOST, 1, 0);
        run.checker.load(HOST, WINDOW, 8, 0);
        assertThat(run.end())
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.rule()).isEqualTo(Rule.WRITEBACK_BY_OTHER_THREAD);
                    assertThat(finding.second().actor()).isEqualTo("T2");
                    assertThat(finding.second().place().line()).isEqualTo(3);
                    assertThat(finding.remedy().orElseThrow().operation())
                            .isEqualTo(Remedy.Operation.WINDOW_WRITEBACK);
                });
    }

    /// That a load is the test of a loop may turn out after it has met a store.
    @Test
    @Requirement("DPA-CHK-11")
    void aLoadThatTurnsOutToBeALoopIsInNoRace() {
        for (boolean loop : new boolean[] {true, false}) {
            Told run = run();
            run.checker.store(T1, HEAP, 8, 1);
            run.checker.load(T2, HEAP, 8, 2);
            if (loop) {
                run.checker.spin(T2, 2);
            }
            assertThat(run.rules()).isEqualTo(loop ? List.of() : List.of(Rule.DATA_RACE));
        }
    }

    @Test
    @Requirement("DPA-CHK-11")
    void aStoreWhereAnAtomicHasReadIsInNoRace() {
        for (boolean atomic : new boolean[] {true, false}) {
            Told run = run();
            if (atomic) {
                run.checker.atomic(T2, HEAP, 8, AtomicOrder.RELAXED, false, 1);
            } else {
                run.checker.load(T2, HEAP, 8, 1);
            }
            run.checker.store(T1, HEAP, 8, 2);
            assertThat(run.rules()).isEqualTo(atomic ? List.of() : List.of(Rule.DATA_RACE));
        }
    }

    /// The last load counts, also where an earlier one came before the store for sure.
    @Test
    @Requirement("DPA-CHK-11")
    void aLaterLoadRacesThoughAnEarlierOneDoesNot() {
        for (boolean again : new boolean[] {true, false}) {
            Told run = run();
            run.checker.load(T2, HEAP, 8, 1);
            run.checker.store(T2, FLAG, 8, 2);
            run.checker.load(T1, FLAG, 8, POLL);
            if (again) {
                run.checker.load(T2, HEAP, 8, 3);
            }
            run.checker.store(T1, HEAP, 8, 4);
            assertThat(run.rules()).isEqualTo(again ? List.of(Rule.DATA_RACE) : List.of());
        }
    }
}
