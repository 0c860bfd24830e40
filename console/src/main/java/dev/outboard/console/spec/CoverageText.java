package dev.outboard.console.spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.function.ToIntFunction;

/// Prints what is known of the requirements, for the terminal.
record CoverageText(PrintWriter out, Evidence evidence) {
    private static final int ID_LINE_WIDTH = 96;
    private static final int TEXT_WIDTH = 70;
    private static final List<State> NOT_PROVEN =
            List.of(State.FAILING, State.SKIPPED, State.MISSING);

    void printCounts(List<Coverage> all) {
        out.printf("%-10s %6s", "Catalog", "rows");
        for (State state : State.values()) {
            out.print("  " + state.word(" "));
        }
        out.println();
        all.forEach(coverage -> printCounts(coverage.catalog().name(), List.of(coverage)));
        if (all.size() > 1) {
            printCounts("all", all);
        }
    }

    private void printCounts(String label, List<Coverage> summed) {
        out.printf("%-10s %6d", label, sum(summed, coverage -> coverage.catalog().rows().size()));
        for (State state : State.values()) {
            int width = 2 + state.word(" ").length();
            out.printf("%" + width + "d", sum(summed, coverage -> coverage.count(state)));
        }
        out.println();
    }

    private static int sum(List<Coverage> all, ToIntFunction<Coverage> count) {
        return all.stream().mapToInt(count).sum();
    }

    void printDoubts() throws IOException {
        List<String> doubts = evidence.doubts();
        if (!doubts.isEmpty()) {
            out.printf("%nNot all results are those of all tests on these sources:%n");
            doubts.forEach(doubt -> out.println("  " + doubt));
        }
    }

    void printLists(Coverage coverage) {
        out.printf("%n%s%n", coverage.catalog().name());
        printIds(State.PROVEN.word(" "), coverage.marks(State.PROVEN));
        printIds("of them only by tests that may be skipped", evidence.provenBySkippable(coverage));
        coverage.exceptions()
                .forEach((entry, ids) ->
                        out.printf(
                                "  %s: %s (%s), %s%n",
                                entry.kind().word(" "),
                                entry.pattern(),
                                ids.isEmpty() ? "proven" : ids.size(),
                                entry.reason()));
        NOT_PROVEN.forEach(state -> printIds(state.word(" "), coverage.marks(state)));
    }

    void printOpen(Coverage coverage) {
        List<String> open = NOT_PROVEN.stream().flatMap(s -> coverage.marks(s).stream()).toList();
        if (open.isEmpty()) {
            return;
        }
        out.printf("%n%s%n", coverage.catalog().name());
        open.forEach(mark ->
                out.printf(
                        "  %-14s %-8s %s%n",
                        mark, coverage.state(mark).word(" "), shortened(coverage, mark)));
    }

    private static String shortened(Coverage coverage, String mark) {
        String text = coverage.catalog().text(mark);
        return text.length() <= TEXT_WIDTH ? text : text.substring(0, TEXT_WIDTH - 1) + "…";
    }

    private void printIds(String label, List<String> ids) {
        if (ids.isEmpty()) {
            return;
        }
        out.printf("  %s (%d)%n", label, ids.size());
        StringBuilder line = new StringBuilder();
        for (String id : ids) {
            if (line.length() + id.length() > ID_LINE_WIDTH) {
                out.println("   " + line);
                line.setLength(0);
            }
            line.append(' ').append(id);
        }
        out.println("   " + line);
    }

    /// Prints what keeps the requirements from being proven, and returns whether anything does.
    /// What only the modules prove that do not count is named and keeps nothing.
    boolean printFailures(List<Coverage> all) throws IOException {
        boolean isComplete = true;
        out.println();
        for (State state : NOT_PROVEN) {
            List<String> ids =
                    all.stream()
                            .flatMap(coverage -> coverage.marks(state).stream())
                            .filter(id -> state != State.SKIPPED || !evidence.isLeftOut(id))
                            .toList();
            isComplete &= ids.isEmpty();
            printIds("Not proven: " + state.word(" "), ids);
        }
        List<String> doubts = evidence.doubts();
        doubts.forEach(doubt -> out.println("  Results do not count: " + doubt));
        List<String> leftOut =
                all.stream()
                        .flatMap(coverage -> coverage.marks(State.SKIPPED).stream())
                        .filter(evidence::isLeftOut)
                        .toList();
        printIds("No evidence without " + String.join(", ", evidence.without()), leftOut);
        return !isComplete || !doubts.isEmpty();
    }
}
