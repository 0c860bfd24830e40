package dev.outboard.console.spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// What the last test run of each module proved: the `requirements.tsv` files that the test kit's
/// listener writes. A requirement is proven when a test of it passed and none failed.
final class TestResults {
    private static final String FILE = "target/requirements.tsv";

    private final Set<String> passed = new HashSet<>();
    private final Set<String> failed = new HashSet<>();
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
            if (cells[2].equals("PASSED")) {
                passed.add(cells[0]);
            } else if (cells[2].equals("FAILED")) {
                failed.add(cells[0]);
            }
        }
    }

    boolean isProven(String id) {
        return passed.contains(id) && !failed.contains(id);
    }

    boolean isFailing(String id) {
        return failed.contains(id);
    }

    /// How many modules have results at all.
    int modules() {
        return modules;
    }
}
