package dev.outboard.console.spec;

import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// All that a source tree says of its requirements: what they are, which tests and which code name
/// them, and how the tests ended the last time.
///
/// @param without modules whose results do not count and are not asked for
record Evidence(
        SourceTree tree,
        List<Catalog> catalogs,
        OutOfScope scope,
        TestMarks marks,
        Citations citations,
        TestResults results,
        List<String> without) {

    static Evidence read(SourceTree tree, List<String> without) throws IOException {
        return new Evidence(
                tree,
                Catalog.readAll(tree.resolve("spec")),
                OutOfScope.read(tree.resolve(SourceTree.OUT_OF_SCOPE)),
                TestMarks.read(tree),
                Citations.read(tree),
                TestResults.readAll(tree.root(), without),
                without);
    }

    Coverage coverage(Catalog catalog) {
        return Coverage.of(catalog, results, marks, scope);
    }

    List<Coverage> coverage() {
        return catalogs.stream().map(this::coverage).toList();
    }

    /// What `out-of-scope.tsv` says of a row or of its clauses.
    List<OutOfScope.Entry> exceptionsOf(Row row) {
        return Stream.concat(Stream.of(row.id()), row.marks().stream())
                .flatMap(id -> scope.entryFor(id).stream())
                .distinct()
                .toList();
    }

    /// Why the results of some modules are not those of all their tests on these sources, a line
    /// per module.
    List<String> doubts() throws IOException {
        Set<String> modules = new TreeSet<>();
        marks.marks().forEach(mark -> modules.add(tree.moduleOf(mark.file())));
        results.runs().forEach(run -> modules.add(run.module()));
        without.forEach(modules::remove);
        List<String> doubts = new ArrayList<>();
        for (String module : modules) {
            doubt(module).ifPresent(text -> doubts.add(module + ": " + text));
        }
        return doubts;
    }

    private Optional<String> doubt(String module) throws IOException {
        Optional<TestRun> last = results.run(module);
        if (last.isEmpty()) {
            return Optional.of("no results");
        }
        TestRun run = last.get();
        if (run.start().equals(Instant.MIN)) {
            return Optional.of("the results do not say when they were made");
        }
        Instant start = run.start().truncatedTo(ChronoUnit.SECONDS);
        List<String> texts = new ArrayList<>();
        if (run.extent() == TestRun.Extent.UNFINISHED) {
            texts.add("the run of %s did not come to its end".formatted(start));
        } else if (run.extent() == TestRun.Extent.PART) {
            texts.add("only a part ran, %s".formatted(run.classes()));
        }
        tree.changedSince(module, run.start())
                .ifPresent(file ->
                        texts.add(
                                "%s has changed since the run of %s"
                                        .formatted(tree.root().relativize(file), start)));
        return texts.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", texts));
    }

    /// The rows and clauses that only tests prove which may decide that they cannot run here.
    List<String> provenBySkippable(Coverage coverage) {
        return coverage.marks(State.PROVEN).stream()
                .filter(id ->
                        results.outcomes(id).stream()
                                .filter(outcome -> outcome.state() == State.PROVEN)
                                .allMatch(this::maySkip))
                .toList();
    }

    private boolean maySkip(TestRun.Outcome outcome) {
        List<TestMarks.Mark> found =
                marks.of(List.of(outcome.id())).stream()
                        .filter(mark -> mark.isOf(outcome))
                        .toList();
        return !found.isEmpty() && found.stream().allMatch(TestMarks.Mark::maySkip);
    }

    /// What did not run only because all tests of it are in the modules that do not count.
    boolean isLeftOut(String id) {
        Set<String> modules =
                marks.of(List.of(id)).stream()
                        .map(mark -> tree.moduleOf(mark.file()))
                        .collect(Collectors.toSet());
        return !modules.isEmpty() && without.containsAll(modules);
    }
}
