package dev.outboard.console.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CoverageTest {
    private static final Catalog CATALOG =
            Catalog.parse(
                    "x",
                    List.of(
                            "| A-1 | one |",
                            "| A-2 | two |",
                            "| A-3 | three |",
                            "| B-1 | b |",
                            "| E-1 | (a) wet; (b) clear |"));

    private final List<String> results = new ArrayList<>();
    private final List<TestMarks.Mark> marks = new ArrayList<>();

    @Test
    void aRowIsProvenByAPassingTest() {
        results.addAll(List.of("A-1\tT#a\tPASSED", "A-2\tT#b\tSKIPPED", "A-1\tT#c\tSKIPPED"));

        Coverage coverage = coverage();

        assertThat(coverage.marks(State.PROVEN)).containsExactly("A-1");
        assertThat(coverage.marks(State.SKIPPED)).containsExactly("A-2");
        assertThat(coverage.marks(State.MISSING)).containsExactly("A-3", "B-1", "E-1a", "E-1b");
    }

    @Test
    void aRowWhoseTestsDidNotRunIsNoMissingOne() {
        marks.add(new TestMarks.Mark("A-1", Path.of("T.java"), 1, "T", "a", false, false));

        assertThat(coverage().state("A-1")).isEqualTo(State.SKIPPED);
        assertThat(coverage().state("A-2")).isEqualTo(State.MISSING);
    }

    @Test
    void oneFailingTestOutweighsAllPassingOnes() {
        results.addAll(List.of("A-1\tT#a\tPASSED", "A-1\tT#b\tFAILED"));
        results.addAll(List.of("A-1\tU#a\tPASSED"));

        assertThat(coverage("A-*\toptional\tnot wanted").marks(State.FAILING))
                .containsExactly("A-1");
    }

    @Test
    void anExceptionLeavesOutWhatIsNotProven() {
        results.addAll(List.of("A-1\tT#a\tPASSED", "A-2\tT#b\tSKIPPED"));

        Coverage coverage = coverage("A-3\tplanned\tfirst", "A-*\tdeviation\tsecond");

        assertThat(coverage.marks(State.PROVEN)).containsExactly("A-1");
        assertThat(coverage.exceptions())
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of(
                                new OutOfScope.Entry("A-3", State.PLANNED, "first"),
                                List.of("A-3"),
                                new OutOfScope.Entry("A-*", State.DEVIATION, "second"),
                                List.of("A-2")));
        assertThat(coverage.count(State.PLANNED)).isEqualTo(1);
        assertThat(coverage.count(State.DEVIATION)).isEqualTo(1);
        assertThat(coverage.marks(State.MISSING)).contains("B-1");
    }

    @Test
    void aRowWithClausesIsProvenWhenEachOfThemIs() {
        results.addAll(List.of("E-1a\tT#a\tPASSED", "E-1b\tT#a\tPASSED"));

        assertThat(coverage().marks(State.PROVEN)).containsExactly("E-1a", "E-1b");
        assertThat(coverage().count(State.PROVEN)).isEqualTo(1);
    }

    @Test
    void aRowIsInTheStateOfItsWorstClause() {
        results.addAll(List.of("E-1a\tT#a\tPASSED", "E-1\tT#all\tPASSED"));
        assertThat(coverage().states()).containsEntry("E-1", State.MISSING);
        assertThat(coverage().marks(State.MISSING)).contains("E-1b").doesNotContain("E-1");

        assertThat(coverage("E-1b\tplanned\tlater").states()).containsEntry("E-1", State.PLANNED);
        assertThat(coverage("E-1\tplanned\tlater").states())
                .containsEntry("E-1a", State.PROVEN)
                .containsEntry("E-1b", State.PLANNED);

        results.addAll(List.of("E-1b\tT#b\tFAILED"));
        assertThat(coverage("E-1\tplanned\tlater").states()).containsEntry("E-1", State.FAILING);
    }

    @Test
    void keepsTheReasonOfARefusalThatIsProven() {
        results.addAll(List.of("A-1\tT#a\tPASSED"));

        Coverage coverage = coverage("A-1\toptional\trefused");

        assertThat(coverage.states()).containsEntry("A-1", State.PROVEN);
        assertThat(coverage.exceptions())
                .containsEntry(new OutOfScope.Entry("A-1", State.OPTIONAL, "refused"), List.of());
    }

    @Test
    void aPatternIsNoRegularExpression() {
        assertThat(new OutOfScope.Entry("A.1", State.PLANNED, "reason").covers("A-1")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"A-1\treason", "A-1\tproven\treason", "A-1\tplanned\t "})
    void refusesAnExceptionWithoutKindOrReason(String line) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OutOfScope.parse(List.of(line)))
                .withMessageContaining("optional, not-applicable, planned, deviation")
                .withMessageContaining("'" + line + "'");
    }

    private Coverage coverage(String... outOfScope) {
        TestRun run = TestRun.parse("m", results);
        return Coverage.of(
                CATALOG,
                new TestResults(List.of(run)),
                new TestMarks(marks),
                OutOfScope.parse(List.of(outOfScope)));
    }
}
