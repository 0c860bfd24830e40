package dev.outboard.dpa.checker;

import dev.outboard.testkit.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The table of `spec/dpa.md` that says what the checker finds in each variant of each litmus test.
final class FindingsTable {
    private static final Pattern TEST = Pattern.compile("\\d+");
    private static final Pattern PART =
            Pattern.compile(
                    "(?:(.+?) )?(none|[0-9+]+(?: and [0-9+]+)*)"
                            + "(?: in all variants| \\(none if overrun is ignored\\))?");
    private static final String LETTERS = "[a-z](, [a-z])*";

    /// What one row says of some variants.
    ///
    /// @param variants how they are named: letters, the beginning of a title, or empty for all
    record Row(List<Integer> tests, String variants, Set<String> rows) {
        boolean isOf(int test, String letter, String title) {
            if (!tests.contains(test)) {
                return false;
            }
            return variants.isEmpty()
                    || (variants.matches(LETTERS)
                            ? List.of(variants.split(", ")).contains(letter)
                            : title.startsWith(variants));
        }
    }

    private FindingsTable() {}

    static List<Row> read() throws IOException {
        List<Row> rows = new ArrayList<>();
        for (String line : Files.readAllLines(Repository.root().resolve("spec/dpa.md"))) {
            if (line.startsWith("| of LIT-")) {
                String[] cells = line.substring(2, line.length() - 2).split(" \\| ");
                List<Integer> tests =
                        TEST.matcher(cells[0])
                                .results()
                                .map(number -> Integer.parseInt(number.group()))
                                .toList();
                for (String part : cells[1].split(" · ")) {
                    rows.add(row(tests, part));
                }
            }
        }
        return rows;
    }

    private static Row row(List<Integer> tests, String part) {
        Matcher matcher = PART.matcher(part);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("not understood: " + part);
        }
        Set<String> rows = new TreeSet<>();
        if (!matcher.group(2).equals("none")) {
            rows.addAll(List.of(matcher.group(2).split(" and ")));
        }
        String variants = matcher.group(1);
        return new Row(tests, variants == null ? "" : variants, rows);
    }
}
