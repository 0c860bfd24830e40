package dev.outboard.console.spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// What the last test run of each module proved: the `requirements.tsv` files that the test kit's
/// listener writes. A requirement is proven when a test of it passed and none failed.
final class TestResults {
    private static final String FILE = "target/requirements.tsv";

    private final Map<String, State> states = new HashMap<>();
    private int modules;

    /// The results of every module directly below `root`.
    static TestResults readAll(Path root) throws IOException {
        List<Path> files;
        try (Stream<Path> entries = Files.list(root)) {
            files = entries.map(module -> module.resolve(FILE)).filter(Files::exists).toList();
        }
        TestResults results = new TestResults();
        for (Path file : files) {
            results.add(Files.readAllLines(file));
        }
        return results;
    }

    /// Adds one module's rows: `ID <tab> test <tab> PASSED|FAILED|SKIPPED`.
    void add(List<String> lines) {
        modules++;
        for (String line : lines) {
            String[] cells = line.split("\t");
            State state =
                    switch (cells[2]) {
                        case "PASSED" -> State.PROVEN;
                        case "FAILED" -> State.FAILING;
                        default -> State.SKIPPED;
                    };
            states.merge(cells[0], state, TestResults::outweighing);
        }
    }

    /// A failed test outweighs passed ones, and those outweigh the skipped.
    private static State outweighing(State a, State b) {
        if (a == State.FAILING || b == State.FAILING) {
            return State.FAILING;
        }
        return a == State.PROVEN ? a : b;
    }

    /// Proven, failing or skipped; missing if no test named `id`.
    State stateOf(String id) {
        return states.getOrDefault(id, State.MISSING);
    }

    /// How many modules have results at all.
    int modules() {
        return modules;
    }
}
