package dev.outboard.bench.comparison;

import dev.outboard.bench.comparison.Work.Unit;
import dev.outboard.terminal.Measure;
import dev.outboard.terminal.Table;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/// What a comparison found out; with the names of JSON.
///
/// @param command how to run it again
/// @param runs how often everything was measured, in turns
record ComparisonReport(String command, Machine machine, int runs, List<Comparison> works) {
    /// One work.
    record Comparison(String name, String title, Unit unit, List<Row> rows) {}

    /// One contender in one work. Ratios are ours divided by this one's, from the same round.
    ///
    /// @param disturbed in how many rounds other programs took more of the machine than they should
    /// @param problem why results are missing; empty if none are
    record Row(
            String name, List<Double> results, List<Double> ratios, int disturbed, String problem) {
        static Row of(
                String name,
                List<Double> results,
                List<Double> ours,
                int disturbed,
                String problem) {
            List<Double> ratios =
                    IntStream.range(0, results.size())
                            .mapToObj(i -> ours.get(i) / results.get(i))
                            .filter(Double::isFinite)
                            .toList();
            return new Row(
                    name,
                    results.stream().filter(Double::isFinite).toList(),
                    ratios,
                    disturbed,
                    problem);
        }
    }

    void print(PrintWriter out) {
        out.println(machine);
        out.printf("Medians of %d rounds in turns. A ratio is ours divided by theirs.%n", runs);
        for (Comparison work : works) {
            out.println();
            out.println(work.title() + " (" + work.name() + ")");
            Table table = new Table("lrrrrrl");
            table.row("", "MEDIAN", "BEST", "WORST", "RATIO", "FROM", "TO");
            work.rows().forEach(row -> add(table, work.unit(), row));
            table.print(out, "  ");
        }
    }

    private static void add(Table table, Unit unit, Row row) {
        if (row.results().isEmpty()) {
            table.row(row.name(), "-", "", "", "", "", row.problem());
            return;
        }
        List<Double> sorted = row.results().stream().sorted().toList();
        boolean lessIsBetter = unit == Unit.TIME;
        List<Double> ratios = row.ratios().stream().sorted().toList();
        table.row(
                row.name(),
                text(unit, sorted.get(sorted.size() / 2)),
                text(unit, lessIsBetter ? sorted.getFirst() : sorted.getLast()),
                text(unit, lessIsBetter ? sorted.getLast() : sorted.getFirst()),
                ratios.isEmpty() ? "" : ratio(ratios.get(ratios.size() / 2)),
                ratios.isEmpty() ? "" : ratio(ratios.getFirst()),
                (ratios.isEmpty() ? "" : ratio(ratios.getLast())) + " " + remark(row));
    }

    private static String remark(Row row) {
        return row.disturbed() == 0
                ? row.problem()
                : "%d rounds beside other programs %s".formatted(row.disturbed(), row.problem());
    }

    private static String ratio(double value) {
        return String.format(Locale.ROOT, value < 0.1 ? "%.3f" : "%.2f", value);
    }

    private static String text(Unit unit, double value) {
        return switch (unit) {
            case TIME -> Measure.time((long) value);
            case BANDWIDTH -> Measure.rate((long) value, 1_000_000_000L);
            case MESSAGES, CYCLES, RATE ->
                    value < 1e5
                            ? String.format(Locale.ROOT, "%.1f k/s", value / 1e3)
                            : String.format(Locale.ROOT, "%.2f M/s", value / 1e6);
        };
    }
}
