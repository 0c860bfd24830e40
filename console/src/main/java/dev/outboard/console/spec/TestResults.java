package dev.outboard.console.spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// What the last test runs of the modules proved. A requirement is proven when a test of it passed
/// and none failed.
final class TestResults {
    private static final String FILE = "target/requirements.tsv";

    private final List<TestRun> runs;
    private final Map<String, List<TestRun.Outcome>> outcomes = new HashMap<>();

    TestResults(List<TestRun> runs) {
        this.runs = runs;
        runs.stream()
                .flatMap(run -> run.outcomes().stream())
                .forEach(outcome ->
                        outcomes.computeIfAbsent(outcome.id(), id -> new ArrayList<>())
                                .add(outcome));
    }

    /// The results of every module directly below `root` but `without`.
    static TestResults readAll(Path root, List<String> without) throws IOException {
        List<Path> modules;
        try (Stream<Path> entries = Files.list(root)) {
            modules =
                    entries.filter(module -> Files.exists(module.resolve(FILE)))
                            .filter(module -> !without.contains(module.getFileName().toString()))
                            .sorted()
                            .toList();
        }
        List<TestRun> runs = new ArrayList<>();
        for (Path module : modules) {
            String name = module.getFileName().toString();
            runs.add(TestRun.parse(name, Files.readAllLines(module.resolve(FILE))));
        }
        return new TestResults(List.copyOf(runs));
    }

    List<TestRun> runs() {
        return runs;
    }

    Optional<TestRun> run(String module) {
        return runs.stream().filter(run -> run.module().equals(module)).findFirst();
    }

    /// How the tests that name `mark` ended.
    List<TestRun.Outcome> outcomes(String mark) {
        return outcomes.getOrDefault(mark, List.of());
    }

    /// Proven, failing or skipped; missing if no test names `mark`. A failed test outweighs passed
    /// ones, and those outweigh the skipped.
    State stateOf(String mark, TestMarks marks) {
        List<State> states = outcomes(mark).stream().map(TestRun.Outcome::state).toList();
        return Stream.of(State.FAILING, State.PROVEN, State.SKIPPED)
                .filter(states::contains)
                .findFirst()
                .orElse(marks.of(List.of(mark)).isEmpty() ? State.MISSING : State.SKIPPED);
    }
}
