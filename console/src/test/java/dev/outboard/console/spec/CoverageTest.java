package dev.outboard.console.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class CoverageTest {
    private static final Catalog CATALOG =
            Catalog.parse(
                    "x",
                    List.of("| A-1 | one |", "| A-2 | two |", "| A-3 | three |", "| B-1 | b |"));

    private final TestResults results = new TestResults();

    @Test
    void aRowIsProvenByAPassingTest() {
        results.add(List.of("A-1\tT#a\tPASSED", "A-2\tT#b\tSKIPPED"));

        Coverage coverage = coverage("");

        assertThat(coverage.proven()).containsExactly("A-1");
        assertThat(coverage.missing()).containsExactly("A-2", "A-3", "B-1");
    }

    @Test
    void oneFailingTestOutweighsAllPassingOnes() {
        results.add(List.of("A-1\tT#a\tPASSED", "A-1\tT#b\tFAILED"));
        results.add(List.of("A-1\tU#a\tPASSED"));

        assertThat(coverage("A-*\tnot wanted").failing()).containsExactly("A-1");
    }

    @Test
    void aPatternPutsRowsOutOfScopeUnlessTheyAreProven() {
        results.add(List.of("A-1\tT#a\tPASSED"));

        Coverage coverage = coverage("A-3\tfirst reason", "A-*\tsecond reason");

        assertThat(coverage.proven()).containsExactly("A-1");
        assertThat(coverage.outOfScope())
                .containsEntry(new OutOfScope.Entry("A-3", "first reason"), List.of("A-3"))
                .containsEntry(new OutOfScope.Entry("A-*", "second reason"), List.of("A-2"));
        assertThat(coverage.outOfScopeCount()).isEqualTo(2);
        assertThat(coverage.missing()).containsExactly("B-1");
    }

    @Test
    void aPatternIsNoRegularExpression() {
        assertThat(new OutOfScope.Entry("A.1", "reason").covers("A-1")).isFalse();
    }

    private Coverage coverage(String... outOfScope) {
        return Coverage.of(CATALOG, results, OutOfScope.parse(List.of(outOfScope)));
    }
}
