package dev.outboard.dpa.checker;

import static dev.outboard.dpa.checker.Told.HOST;
import static dev.outboard.dpa.checker.Told.POLL;
import static dev.outboard.dpa.checker.Told.T1;
import static dev.outboard.dpa.checker.Told.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.Observer.Announcement;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.Space;
import dev.outboard.testkit.Requirement;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Copies of external memory, and loops that wait for it.
class WindowRulesTest {
    private static final int SITE = 7;

    private static Told run() {
        Told run = new Told().start();
        run.checker.begin(T1, false, 0);
        return run;
    }

    /// The host stores, calls, and the thread learns of it at site 2.
    private static void hostStores(Told run) {
        run.checker.store(HOST, WINDOW, 8, 0);
        hostCalls(run);
    }

    private static void hostCalls(Told run) {
        run.checker.announce(HOST, Announcement.CALL, 1, 0, 0);
        run.checker.receive(T1, 1, 2);
    }

    /// A fetch of the line may bring what was there before the store, unless the thread knew of it.
    @Test
    @Requirement("DPA-CHK-5")
    void aFetchBeforeTheThreadKnowsOfTheStoreMayBeOld() {
        for (boolean knew : new boolean[] {true, false}) {
            Told run = run();
            run.checker.store(HOST, WINDOW, 8, 0);
            if (knew) {
                hostCalls(run);
            }
            run.checker.load(T1, WINDOW + 8, 8, 1);
            if (!knew) {
                hostCalls(run);
            }
            run.checker.load(T1, WINDOW, 8, 3);
            assertThat(run.rules()).isEqualTo(knew ? List.of() : List.of(Rule.MISSING_READ_INV));
        }
    }

    @Test
    @Requirement({"DPA-CHK-5", "DPA-CHK-8"})
    void theInvalidationBelongsAfterWhatToldOfTheStore() {
        Told run = run();
        run.checker.fence(T1, Space.MMIO, Op.W, Op.R, 4);
        run.checker.load(T1, WINDOW, 8, 1);
        hostStores(run);
        run.checker.fence(T1, Space.MMIO, Op.R, Op.W, 5);
        run.checker.load(T1, WINDOW, 8, 3);
        assertThat(run.end())
                .singleElement()
                .satisfies(finding -> {
                    Remedy remedy = finding.remedy().orElseThrow();
                    assertThat(finding.rule()).isEqualTo(Rule.MISSING_READ_INV);
                    assertThat(remedy.after().place().line()).isEqualTo(2);
                    assertThat(remedy.before().orElseThrow().place().line()).isEqualTo(3);
                    assertThat(finding.mismatch())
                            .as("one fence comes before the fetch, and one is not for loads")
                            .isEmpty();
                });
    }

    /// Each load that is right only since the fence has dropped the copy is named.
    @Test
    @Requirement({"DPA-CHK-7", "DPA-FEN-5"})
    void aCopyFetchedAfterAFenceIsNewOnlyByTheFence() {
        Told run = run();
        run.checker.load(T1, WINDOW, 8, 1);
        run.checker.load(T1, WINDOW + 64, 8, 1);
        hostStores(run);
        run.checker.fence(T1, Space.MMIO, Op.R, Op.R, 3);
        run.checker.load(T1, WINDOW, 8, 4);
        run.checker.load(T1, WINDOW, 8, 5);
        assertThat(run.rules())
                .containsExactly(
                        Rule.RELIES_ON_FENCE_SIDE_EFFECT, Rule.RELIES_ON_FENCE_SIDE_EFFECT);
    }

    /// A loop that nothing tells of is one after eight equal loads.
    @Test
    @Requirement("DPA-CHK-6a")
    void eightEqualLoadsAreALoop() {
        for (int loads = 7; loads <= 8; loads++) {
            Told run = run();
            for (int i = 0; i < loads; i++) {
                run.checker.load(T1, WINDOW, 8, SITE);
            }
            assertThat(run.rules())
                    .isEqualTo(loads == 8 ? List.of(Rule.POLL_WITHOUT_READ_INV) : List.of());
        }
    }

    @Test
    @Requirement("DPA-CHK-6a")
    void loadsThatDifferAreNoLoop() {
        Told places = run();
        Told words = run();
        Told values = run();
        Told parts = run();
        for (int i = 0; i < 12; i++) {
            places.checker.load(T1, WINDOW, 8, SITE + (i & 1));
            words.checker.load(T1, WINDOW + 8L * (i & 1), 8, SITE);
            values.checker.store(HOST, WINDOW, 8, 0);
            values.checker.load(T1, WINDOW, 8, SITE);
            parts.checker.load(T1, WINDOW + 8L * (i / 6), 8, SITE);
        }
        for (Told run : List.of(places, words, values, parts)) {
            assertThat(run.rules()).isEmpty();
        }
    }

    @Test
    @Requirement({"DPA-CHK-6a", "DPA-CHK-7"})
    void aLoopWhoseCopyOnlyAFenceDropsReliesOnTheFence() {
        for (boolean fence : new boolean[] {true, false}) {
            Told run = run();
            run.checker.store(T1, WINDOW + 64, 8, 1);
            for (int round = 0; round < 3; round++) {
                run.checker.load(T1, WINDOW, 8, POLL);
                run.checker.spin(T1, POLL);
                if (fence) {
                    run.checker.fence(T1, Space.MMIO, Op.W, Op.R, 2);
                }
            }
            assertThat(run.rules())
                    .containsExactly(
                            fence ? Rule.RELIES_ON_FENCE_SIDE_EFFECT : Rule.POLL_WITHOUT_READ_INV);
        }
    }

    /// DPA-OPM-4: a load after the fence has waited until the store was performed.
    @Test
    @Requirement("DPA-CHK-6c")
    void anOwnStoreThatALoadHasWaitedForHidesNothing() {
        for (boolean fence : new boolean[] {true, false}) {
            Told run = run();
            run.checker.store(T1, WINDOW, 8, 1);
            if (fence) {
                run.checker.fence(T1, Space.MMIO, Op.W, Op.R, 2);
            }
            run.checker.load(T1, WINDOW + 64, 8, 3);
            run.checker.load(T1, WINDOW, 8, POLL);
            assertThat(run.rules()).isEqualTo(fence ? List.of() : List.of(Rule.POLL_OF_OWN_STORE));
        }
    }
}
