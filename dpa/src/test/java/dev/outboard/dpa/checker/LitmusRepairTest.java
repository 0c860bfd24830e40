package dev.outboard.dpa.checker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.litmus.Explorer;
import dev.outboard.dpa.litmus.LitmusCatalog;
import dev.outboard.dpa.litmus.LitmusProgram;
import dev.outboard.dpa.litmus.LitmusTest;
import dev.outboard.dpa.litmus.Outcome;
import dev.outboard.dpa.litmus.Variant;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LitmusRepairTest {
    private static final Set<String> CURABLE =
            Set.of("1", "2", "3", "4", "5", "6", "7", "12", "1+8", "2+8", "3+8", "5+8", "6+8");

    private static Repair repair(String text, String variant) {
        CheckReport report = check(LitmusTest.parse(text).variant(variant).program());
        return LitmusRepair.find(text, variant, "test.dpa", report, 1);
    }

    private static CheckReport check(LitmusProgram program) {
        return LitmusCheck.of(program, "test.dpa").run(Profile.SEED, LitmusCheck.RUNS, 1);
    }

    @Test
    @Requirement("DPA-CHK-20")
    void healsEveryFindingOfTheCatalogThatCanBeHealedByOneLineEach() {
        int healed = 0;
        for (LitmusTest test : LitmusCatalog.all()) {
            String text = test.toString();
            for (Variant variant : test.variants()) {
                CheckReport report = check(variant.program());
                if (report.isClean() || !CURABLE.containsAll(report.rows())) {
                    continue;
                }
                String name = test.name() + variant.name();
                Repair repair = repair(text, variant.name());
                assertThat(repair.cured()).as(name).isTrue();
                assertThat(repair.edits())
                        .as(name)
                        .isNotEmpty()
                        .noneMatch(Edit::isMove)
                        .hasSizeLessThanOrEqualTo(report.entries().size());
                assertProven(LitmusTest.parse(text).variant(variant.name()), repair, name);
                healed++;
            }
        }
        assertThat(healed).isEqualTo(46);
    }

    /// No edit is one too many, no outcome is added, and the bad ones are gone.
    private static void assertProven(Variant variant, Repair repair, String name) {
        for (Edit edit : repair.edits()) {
            List<Edit> others = new ArrayList<>(repair.edits());
            others.remove(edit);
            assertThat(check(LitmusEditor.apply(variant.program(), others)).isClean())
                    .as("%s without %s", name, edit)
                    .isFalse();
        }
        LitmusProgram repaired = LitmusEditor.apply(variant.program(), repair.edits());
        for (Profile profile : List.of(Profile.SEED, Profile.BF3, Profile.PARANOID)) {
            Set<Outcome> outcomes = Explorer.explore(repaired, profile).outcomes();
            assertThat(variant.allowed(profile).orElseThrow()).as(name).containsAll(outcomes);
            assertThat(outcomes).as(name).noneMatch(Outcome::hang);
        }
        assertThat(repair.proof())
                .as(name)
                .startsWith("Proven by EXPLORE: no outcome is added;")
                .endsWith("what is left is sequentially consistent.");
    }

    @Test
    @Requirement("DPA-CHK-20")
    void showsWhatToInsertAsADifference() {
        Repair repair = repair(LitmusCatalog.text(1), "a");
        assertThat(repair.toString())
                .isEqualTo(
                        """
                        Repair:
                          insert memory_writeback before test.dpa:8:18 (T)
                          Proven by EXPLORE: no outcome is added; gone are SEED: [{r=0}], PARANOID: [{r=0}]; \
                        what is left is sequentially consistent.

                        --- test.dpa
                        +++ test.dpa (repaired)
                        @@ -8 +8 @@
                        -    T: M[wqe]=1; DB(db)
                        +    T: M[wqe]=1; memory_writeback; DB(db)
                        """);
    }

    @Test
    @Requirement("DPA-CHK-20")
    void insertsIntoLoopsAndAfterLastStatements() {
        assertThat(repair(LitmusCatalog.text(6), "a").diff())
                .contains("+    T: spin W[flag]==1 {read_inv}\n");
        assertThat(repair(LitmusCatalog.text(6), "c").diff())
                .contains("+    T: spin W[flag]==1 {read_inv; fence(MMIO,R,R)}\n");
        assertThat(repair(LitmusCatalog.text(5), "c").diff())
                .contains("+    T: M[rwqe]=1; fence(MEMORY,W,W); M[dbr]=1; memory_writeback\n");
        assertThat(repair(LitmusCatalog.text(32), "a").edits()).hasSize(2);
    }

    @Test
    @Requirement("DPA-CHK-20")
    void oneInsertionServesSeveralFindings() {
        assertThat(repair(LitmusCatalog.text(2), "a").edits())
                .singleElement()
                .extracting(Edit::operation)
                .isEqualTo("memory_writeback");
    }

    @Test
    @Requirement("DPA-CHK-20")
    void movesALineWhereNothingCanBeInserted() {
        String text =
                """
                litmus early
                role entry wqe of sq
                T: DB(db@SXD,sq); M[wqe]=1; memory_writeback
                N: onDB(db); r=nicrd M[wqe]
                """;
        Repair repair = repair(text, "");
        assertThat(repair.cured()).isTrue();
        assertThat(repair.edits()).singleElement().matches(Edit::isMove);
        assertThat(repair.diff()).contains("+T: M[wqe]=1; memory_writeback; DB(db@SXD,sq)\n");
    }

    @Test
    @Requirement("DPA-CHK-20")
    void saysSoWhereNeitherCures() {
        Repair repair = repair(LitmusCatalog.text(18), "a");
        assertThat(repair.cured()).isFalse();
        assertThat(repair.edits()).isEmpty();
        assertThat(repair.toString()).startsWith("No repair found: neither");
    }

    @Test
    void leavesACleanProgramAsItIs() {
        Repair repair = repair(LitmusCatalog.text(1), "b");
        assertThat(repair.cured()).isTrue();
        assertThat(repair.edits()).isEmpty();
    }

    @Test
    void editsTextOfManyLinesWithComments() {
        String text =
                """
                litmus long
                T1: M[data]=7;    # the payload
                    M[flag]=1     # and its sign
                T2: spin M[flag]==1; r=M[data]
                """;
        assertThat(repair(text, "").diff())
                .isEqualTo(
                        """
                        --- test.dpa
                        +++ test.dpa (repaired)
                        @@ -3 +3 @@
                        -    M[flag]=1     # and its sign
                        +    fence(MEMORY,W,W); M[flag]=1     # and its sign
                        """);
    }
}
