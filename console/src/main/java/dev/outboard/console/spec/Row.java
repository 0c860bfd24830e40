package dev.outboard.console.spec;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// One requirement of a catalog.
///
/// A row whose text is a list of lettered clauses, `(a) …; (b) …`, is proven clause by clause: its
/// tests name `A-12a` and `A-12b` and never `A-12`. To be such a list the letters begin at `(a)`,
/// run on without a gap to at least `(b)`, and a semicolon stands before each but the first; any
/// other `(a)` is prose.
///
/// @param line the line of the catalog's file that it stands on, from 1
/// @param cells what stands beside the ID, the text first; or the heading that has the ID
record Row(String id, int line, List<String> cells) {
    private static final Pattern FIRST = Pattern.compile("(^|(?<=\\s))\\(a\\) ");

    /// One clause of a row, `A-12b`, with its text.
    record Clause(String id, String text) {}

    /// What is required, without the row's other cells.
    String text() {
        return cells.getFirst();
    }

    /// The clauses, or an empty list if the row is proven as a whole.
    List<Clause> clauses() {
        return cells.stream()
                .map(this::clausesOf)
                .filter(clauses -> clauses.size() > 1)
                .findFirst()
                .orElse(List.of());
    }

    /// The IDs that tests mark to prove this row.
    List<String> marks() {
        List<Clause> clauses = clauses();
        return clauses.isEmpty() ? List.of(id) : clauses.stream().map(Clause::id).toList();
    }

    private List<Clause> clausesOf(String cell) {
        List<Clause> clauses = new ArrayList<>();
        Matcher first = FIRST.matcher(cell);
        int start = first.find() ? first.end() : cell.length();
        for (char letter = 'a'; start < cell.length() && letter <= 'z'; letter++) {
            String next = "; (" + (char) (letter + 1) + ") ";
            int end = cell.indexOf(next, start);
            boolean isLast = end < 0;
            String text = isLast ? cell.substring(start) : cell.substring(start, end);
            clauses.add(new Clause(id + letter, text.strip()));
            start = isLast ? cell.length() : end + next.length();
        }
        return List.copyOf(clauses);
    }
}
