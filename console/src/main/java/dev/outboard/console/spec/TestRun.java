package dev.outboard.console.spec;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// What the last test run of one module said: its `target/requirements.tsv`, which the test kit's
/// listener writes.
///
/// @param start when it began; [Instant#MIN] if the file does not say
/// @param classes how many test classes ran, and how many the module has
record TestRun(
        String module, Extent extent, Instant start, String classes, List<Outcome> outcomes) {
    /// How much of the module's tests it covers.
    enum Extent {
        WHOLE,
        PART,
        UNFINISHED
    }

    /// How a test that names `id` ended.
    ///
    /// @param test class and method, as in `a.b.CTest#method`
    record Outcome(String id, String test, State state) {
        String method() {
            return test.substring(test.indexOf('#') + 1);
        }
    }

    /// Reads a line `# <tab> extent <tab> start <tab> classes that ran <tab> classes that there
    /// are` and then lines `ID <tab> test <tab> PASSED|FAILED|SKIPPED`.
    static TestRun parse(String module, List<String> lines) {
        Extent extent = Extent.UNFINISHED;
        Instant start = Instant.MIN;
        String classes = "";
        List<Outcome> outcomes = new ArrayList<>();
        for (String line : lines) {
            String[] cells = line.split("\t");
            if (cells[0].equals("#")) {
                extent = Extent.valueOf(cells[1]);
                start = Instant.parse(cells[2]);
                classes = "%s of %s test classes".formatted(cells[3], cells[4]);
            } else {
                outcomes.add(new Outcome(cells[0], cells[1], state(cells[2])));
            }
        }
        return new TestRun(module, extent, start, classes, List.copyOf(outcomes));
    }

    private static State state(String outcome) {
        return switch (outcome) {
            case "PASSED" -> State.PROVEN;
            case "FAILED" -> State.FAILING;
            default -> State.SKIPPED;
        };
    }
}
