package dev.outboard.console.spec;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/// Prints one requirement with all that the source tree says of it, for the terminal.
record RowText(PrintWriter out, Evidence evidence) {

    void print(Catalog catalog, Row row) {
        Coverage coverage = evidence.coverage(catalog);
        out.printf(
                "%s, %s, spec/%s.md:%d%n",
                row.id(), coverage.state(row.id()).word(" "), catalog.name(), row.line());
        row.cells().stream()
                .filter(cell -> !cell.isEmpty())
                .forEach(cell -> out.println("  " + cell));
        evidence.exceptionsOf(row)
                .forEach(entry ->
                        out.printf(
                                "  spec/out-of-scope.tsv: %s, %s%n",
                                entry.kind().word(" "), entry.reason()));
        printCode(row);
        if (row.clauses().isEmpty()) {
            printTests(row.id());
        }
        for (Row.Clause clause : row.clauses()) {
            out.printf(
                    "  %s, %s: %s%n",
                    clause.id(), coverage.state(clause.id()).word(" "), clause.text());
            printTests(clause.id());
        }
        out.println();
    }

    private void printCode(Row row) {
        List<Citations.Citation> citations = evidence.citations().of(row);
        if (citations.isEmpty()) {
            out.println("  No code cites it.");
        }
        citations.forEach(each -> out.println("  code  " + place(each.file(), each.line())));
    }

    private void printTests(String id) {
        List<TestMarks.Mark> marks = evidence.marks().of(List.of(id));
        if (marks.isEmpty()) {
            out.println("  No test names it.");
        }
        for (TestMarks.Mark mark : marks) {
            out.println("  test  " + place(mark.file(), mark.line()));
            List<TestRun.Outcome> outcomes =
                    evidence.results().outcomes(id).stream().filter(mark::isOf).toList();
            if (outcomes.isEmpty()) {
                out.println("        did not run");
            }
            outcomes.forEach(each -> out.printf("        %s %s%n", each.test(), ending(each)));
        }
    }

    static String ending(TestRun.Outcome outcome) {
        return switch (outcome.state()) {
            case PROVEN -> "passed";
            case FAILING -> "FAILED";
            default -> outcome.state().name().toLowerCase(Locale.ROOT);
        };
    }

    private String place(Path file, long line) {
        return "%s:%d".formatted(evidence.tree().root().relativize(file), line);
    }
}
