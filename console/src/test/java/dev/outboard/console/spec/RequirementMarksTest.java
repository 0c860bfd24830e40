package dev.outboard.console.spec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Repository;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The IDs in tests and in the list of exceptions are those of the catalogs.
class RequirementMarksTest {
    private static final Path ROOT = Repository.root();

    private static final int MOST_MARKS = 5;

    /// The test kit's own tests mark with invented IDs.
    private static final Path INVENTED = ROOT.resolve("testkit");

    @Test
    void everyMarkNamesACatalogRow() throws IOException {
        List<Catalog> catalogs = Catalog.readAll(ROOT.resolve("spec"));
        Set<String> refused = new TreeSet<>();
        for (TestMarks.Mark mark : TestMarks.read(new SourceTree(ROOT)).marks()) {
            if (!mark.file().startsWith(INVENTED)) {
                refusal(mark.id(), catalogs)
                        .ifPresent(text -> refused.add(ROOT.relativize(mark.file()) + ": " + text));
            }
        }

        assertThat(refused).isEmpty();
    }

    @Test
    void noTestNamesMoreThanFiveRequirements() throws IOException {
        Map<String, Long> counts =
                TestMarks.read(new SourceTree(ROOT)).marks().stream()
                        .filter(mark -> !mark.isTable())
                        .collect(
                                Collectors.groupingBy(
                                        mark -> mark.type() + "#" + mark.method(),
                                        Collectors.counting()));
        counts.values().removeIf(count -> count <= MOST_MARKS);

        assertThat(counts)
                .as("split them, or say that the test is a table: @Requirement(table = true, …)")
                .isEmpty();
    }

    @Test
    void saysWhatIsWrongWithAMark() {
        List<Catalog> catalogs =
                List.of(
                        Catalog.parse("x", List.of("| A-1 | (a) wet; (b) clear |")),
                        Catalog.parse("y", List.of("| B-2 | cold |")));

        assertThat(Stream.of("A-1a", "A-1b", "B-2").map(mark -> refusal(mark, catalogs)))
                .allMatch(Optional::isEmpty);
        assertThat(refusal("A-1", catalogs))
                .contains("A-1 has clauses, mark what the test proves of A-1a, A-1b");
        assertThat(refusal("A-1c", catalogs)).contains("A-1 has no clause (c), only A-1a, A-1b");
        assertThat(refusal("B-2a", catalogs))
                .contains(
                        "B-2 has no clauses: mark B-2, or letter its text '(a) …; (b) …' in"
                                + " spec/y.md");
        assertThat(refusal("C-3", catalogs)).contains("no catalog has a row C-3");
    }

    @Test
    void everyExceptionCoversACatalogRow() throws IOException {
        Set<String> ids = new HashSet<>();
        for (Catalog catalog : Catalog.readAll(ROOT.resolve("spec"))) {
            ids.addAll(catalog.rows().keySet());
            catalog.rows().values().forEach(row -> ids.addAll(row.marks()));
        }

        assertThat(OutOfScope.read(ROOT.resolve("spec/out-of-scope.tsv")).entries())
                .allMatch(entry -> ids.stream().anyMatch(entry::covers));
    }

    /// Why a test must not be marked so, or empty if it may.
    private static Optional<String> refusal(String mark, List<Catalog> catalogs) {
        String withoutLetter = mark.replaceFirst("[a-z]$", "");
        for (Catalog catalog : catalogs) {
            Row row = catalog.rows().getOrDefault(mark, catalog.rows().get(withoutLetter));
            if (row != null) {
                return row.marks().contains(mark)
                        ? Optional.empty()
                        : Optional.of(refusal(mark, row, catalog.name()));
            }
        }
        return Optional.of("no catalog has a row " + mark);
    }

    private static String refusal(String mark, Row row, String catalog) {
        if (row.clauses().isEmpty()) {
            return "%s has no clauses: mark %s, or letter its text '(a) …; (b) …' in spec/%s.md"
                    .formatted(row.id(), row.id(), catalog);
        }
        String marks = String.join(", ", row.marks());
        return mark.equals(row.id())
                ? "%s has clauses, mark what the test proves of %s".formatted(mark, marks)
                : "%s has no clause (%s), only %s"
                        .formatted(row.id(), mark.charAt(mark.length() - 1), marks);
    }
}
