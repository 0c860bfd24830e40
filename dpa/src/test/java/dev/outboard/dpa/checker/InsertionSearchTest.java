package dev.outboard.dpa.checker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.checker.Edit.Where;
import dev.outboard.dpa.machine.CodePlace;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// The search for the fewest insertions, on programs that are nothing but lines with findings.
class InsertionSearchTest {
    private static final int MOST_TOGETHER = 2;

    private static CodePlace line(int number) {
        return new CodePlace("lines.dpa", number, 1, "T");
    }

    private static Finding finding(int line) {
        Spot spot = new Spot("T", "store", line(line));
        return new Finding(
                Rule.MISSING_MEMORY_WRITEBACK,
                Severity.ERROR,
                spot,
                spot,
                "",
                Optional.empty(),
                Optional.of(
                        new Remedy(Remedy.Operation.MEMORY_WRITEBACK, spot, Optional.of(spot))));
    }

    private static Set<Integer> lines(List<Edit> edits) {
        return edits.stream().map(edit -> edit.at().line()).collect(Collectors.toSet());
    }

    /// Searches in a program that has findings at some lines, depending on those with insertions.
    private static Optional<Set<Integer>> search(
            Function<Set<Integer>, List<Integer>> found, Predicate<List<Edit>> accepts) {
        Function<List<Edit>, CheckReport> check =
                edits -> {
                    CheckReport report = new CheckReport("lines", Profile.SEED);
                    List<Finding> findings = new ArrayList<>();
                    found.apply(lines(edits)).forEach(line -> findings.add(finding(line)));
                    report.add(findings, 1);
                    return report;
                };
        InsertionSearch search =
                new InsertionSearch(
                        check,
                        remedy ->
                                Optional.of(
                                        Edit.insert(
                                                remedy.operation().litmus(),
                                                Where.BEFORE,
                                                remedy.after().place())),
                        accepts,
                        MOST_TOGETHER);
        return search.beside(List.of(), check.apply(List.of())).map(InsertionSearchTest::lines);
    }

    @Test
    @Requirement("DPA-CHK-20")
    void oneInsertionThatCuresAllIsEnough() {
        assertThat(search(made -> made.contains(2) ? List.of() : List.of(1, 2, 3), edits -> true))
                .contains(Set.of(2));
    }

    @Test
    @Requirement("DPA-CHK-20")
    void twoOfThreeAreTried() {
        assertThat(
                        search(
                                made ->
                                        made.containsAll(Set.of(1, 3))
                                                ? List.of()
                                                : List.of(1, 2, 3),
                                edits -> true))
                .contains(Set.of(1, 3));
    }

    @Test
    @Requirement("DPA-CHK-20")
    void whatIsFoundBehindAnInsertionProposesMore() {
        assertThat(
                        search(
                                made -> {
                                    if (!made.contains(1)) {
                                        return List.of(1);
                                    }
                                    return made.contains(2) ? List.of() : List.of(2);
                                },
                                edits -> true))
                .contains(Set.of(1, 2));
    }

    /// Insertions that cure are not taken if they are not accepted, one by one or all together.
    @Test
    @Requirement("DPA-CHK-20")
    void whatIsNotAcceptedIsNoRepair() {
        Function<Set<Integer>, List<Integer>> either =
                made -> made.isEmpty() ? List.of(1, 2) : List.of();
        assertThat(search(either, edits -> lines(edits).contains(2))).contains(Set.of(2));
        assertThat(search(either, edits -> edits.size() == 2)).contains(Set.of(1, 2));
        assertThat(search(either, edits -> false)).isEmpty();
    }

    @Test
    @Requirement("DPA-CHK-20")
    void whereNothingHelpsTheSearchEnds() {
        assertThat(search(made -> List.of(1), edits -> true)).isEmpty();
        assertThat(search(made -> List.of(made.size() + 1), edits -> true)).isEmpty();
    }
}
