package dev.outboard.dpa.checker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.litmus.Explorer;
import dev.outboard.dpa.litmus.LitmusCatalog;
import dev.outboard.dpa.litmus.LitmusTest;
import dev.outboard.dpa.litmus.Outcome;
import dev.outboard.dpa.litmus.Variant;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class LitmusFindingsTest {
    /// It has no row in the table: SEED has no wrong outcome, only some parts have.
    private static final String WITHOUT_ROW = "LIT-40";

    @Test
    @Requirement(
            value = {
                "DPA-CHK-1",
                "DPA-CHK-2",
                "DPA-CHK-3",
                "DPA-CHK-4",
                "DPA-CHK-5",
                "DPA-CHK-6a",
                "DPA-CHK-7",
                "DPA-CHK-8",
                "DPA-CHK-9",
                "DPA-CHK-11",
                "DPA-CHK-12",
                "DPA-CHK-18"
            },
            table = true)
    void findsInEachVariantWhatTheTableSaysAndNothingElse() throws IOException {
        List<FindingsTable.Row> table = FindingsTable.read();
        int variants = 0;
        for (LitmusTest test : LitmusCatalog.all()) {
            int number = Integer.parseInt(test.name().substring("LIT-".length()));
            for (Variant variant : test.variants()) {
                if (test.name().equals(WITHOUT_ROW)) {
                    continue;
                }
                List<FindingsTable.Row> rows =
                        table.stream()
                                .filter(row -> row.isOf(number, variant.name(), variant.title()))
                                .toList();
                assertThat(rows).as(test.name() + variant.name()).hasSize(1);
                assertThat(rows(variant, Profile.SEED))
                        .as(test.name() + variant.name())
                        .isEqualTo(rows.getFirst().rows());
                variants++;
            }
        }
        assertThat(variants).isEqualTo(106);
    }

    private static Set<String> rows(Variant variant, Profile profile) {
        return LitmusCheck.of(variant.program(), "test.dpa")
                .run(profile, LitmusCheck.RUNS, 1)
                .rows();
    }

    /// What fences do by definition there is nothing to warn of, and what they do not do is worse.
    @Test
    @Requirement("DPA-CHK-7")
    void judgesByTheProfileWhatFencesDo() {
        Map<String, String> differences = new TreeMap<>();
        for (LitmusTest test : LitmusCatalog.all()) {
            for (Variant variant : test.variants()) {
                Set<String> seed = rows(variant, Profile.SEED);
                Set<String> bf3 = rows(variant, Profile.BF3);
                Set<String> paranoid = rows(variant, Profile.PARANOID);
                if (!seed.equals(bf3) || !seed.equals(paranoid)) {
                    differences.put(
                            test.name() + variant.name(),
                            "%s BF3 %s PARANOID %s".formatted(seed, bf3, paranoid));
                }
            }
        }
        assertThat(differences)
                .containsExactlyInAnyOrderEntriesOf(
                        Map.ofEntries(
                                Map.entry("LIT-1c", "[1+8] BF3 [] PARANOID [1+8]"),
                                Map.entry("LIT-1d", "[7] BF3 [] PARANOID [1+8]"),
                                Map.entry("LIT-3c", "[7] BF3 [] PARANOID [2+8]"),
                                Map.entry("LIT-3e", "[7] BF3 [] PARANOID [2+8]"),
                                Map.entry("LIT-6c", "[6+8] BF3 [] PARANOID [6+8]"),
                                Map.entry("LIT-7c", "[5+8] BF3 [] PARANOID [5+8]"),
                                Map.entry("LIT-9b", "[3+8] BF3 [] PARANOID [3+8]"),
                                Map.entry("LIT-11c", "[2+8] BF3 [] PARANOID [2+8]"),
                                Map.entry("LIT-11e", "[2+8] BF3 [] PARANOID [2+8]"),
                                Map.entry("LIT-23a", "[12] BF3 [] PARANOID [12]"),
                                Map.entry("LIT-24c", "[7] BF3 [] PARANOID [5+8]"),
                                Map.entry("LIT-31c", "[1+8] BF3 [] PARANOID [1+8]"),
                                Map.entry("LIT-31d", "[7] BF3 [] PARANOID [1+8]")));
    }

    /// What two queues write is in no order, also where the one was done before the other; within a
    /// queue it is.
    @Test
    @Requirement("DPA-CHK-18")
    void aWordOfOneQueueIsNoSignForWhatAnotherWrites() {
        String thread = " T: spin M[b]==1; r=M[a]; s=M[c]";
        for (String writes :
                List.of(
                        "nicwr M[a]=1 on q; nicwr M[b]=1 on p",
                        "nicwr {M[a]=1, M[c]=1} in order on q; nicwr M[b]=1 on p",
                        "nicwr M[a]=1 on q; nicwr M[c]=1 on q; nicwr M[b]=1 on p")) {
            assertThat(rows("N: " + writes + thread)).as(writes).containsExactly("18");
        }
        for (String writes :
                List.of(
                        "nicwr M[a]=1 on q; nicwr M[b]=1 on q",
                        "nicwr {M[a]=1, M[c]=1} in order on q; nicwr M[b]=1 on q",
                        "nicwr M[a]=1; nicwr M[b]=1 on p")) {
            assertThat(rows("N: " + writes + thread)).as(writes).isEmpty();
        }
    }

    private static Set<String> rows(String program) {
        String text = "litmus t\n%s\n".formatted(program.replace(" T:", "\nT:"));
        return rows(LitmusTest.parse(text).variants().getFirst(), Profile.SEED);
    }

    @Test
    @Requirement("DPA-CHK-1")
    void asksNothingOfAnIndexThatNobodyNeeds() {
        for (int number : List.of(15, 16)) {
            String text = LitmusCatalog.text(number).replace("role index", "role ignored_index");
            Variant variant = LitmusTest.parse(text).variant("a");
            assertThat(rows(variant, Profile.SEED)).isEmpty();
        }
    }

    /// A fence may write back and need not; a program that needs it to is told so.
    @Test
    @Requirement("DPA-FEN-6")
    void nobodyReliesOnWhatAFenceDoesOnTheWay() {
        Variant fence = LitmusCatalog.test(11).variant("c");
        assertThat(Explorer.explore(fence.program(), Profile.SEED).outcomes())
                .extracting(Outcome::toString)
                .containsExactly("{X.flag=0}", "{X.flag=5}");
        assertThat(Explorer.explore(fence.program(), Profile.BF3).outcomes())
                .extracting(Outcome::toString)
                .containsExactly("{X.flag=5}");
        for (String doorbell : List.of("LIT-1d", "LIT-3c", "LIT-3e")) {
            int number = Integer.parseInt(doorbell.substring(4, 5));
            Variant variant = LitmusCatalog.test(number).variant(doorbell.substring(5));
            CheckReport report =
                    LitmusCheck.of(variant.program(), "test.dpa")
                            .run(Profile.SEED, LitmusCheck.RUNS, 1);
            assertThat(report.entries())
                    .extracting(entry -> entry.finding().rule())
                    .containsExactly(Rule.RELIES_ON_FENCE_SIDE_EFFECT);
            assertThat(report.entries().getFirst().finding().remedy().orElseThrow().operation())
                    .isEqualTo(
                            number == 1
                                    ? Remedy.Operation.MEMORY_WRITEBACK
                                    : Remedy.Operation.WINDOW_WRITEBACK);
        }
    }

    @Test
    @Requirement({"DPA-CHK-10", "DPA-CCH-6"})
    void warnsOfTwoWritersInOneLine() {
        Variant variant = LitmusCatalog.test(40).variants().getFirst();
        assertThat(rows(variant, Profile.SEED)).containsExactly("10");
        String apart =
                LitmusCatalog.text(40).replace("external {x y}", "external {x} external {y}");
        assertThat(rows(LitmusTest.parse(apart).variants().getFirst(), Profile.SEED)).isEmpty();
    }
}
