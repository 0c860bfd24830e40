package dev.outboard.console.spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// One requirement catalog: a Markdown file of `spec/`. Its requirements are the table rows that
/// start with an ID, and the sections whose heading has one.
///
/// @param name the file's name without its ending
/// @param rows what is required, by ID, in the order of the file
record Catalog(String name, Map<String, Row> rows) {
    private static final String ENDING = ".md";

    private static final String ID = "(?<id>[A-Z]+(-[A-Z0-9]+)*-[0-9]+(\\.[0-9]+)?[a-z]?)";

    /// A row such as `| ROCE-RC-12 | what is required | …`; the ID may stand in backquotes.
    private static final Pattern ROW = Pattern.compile("\\| *`?" + ID + "\\b[^|]*\\|(?<cells>.*)");

    /// What parts the cells of a row; a `\|` is text.
    private static final Pattern BAR = Pattern.compile("(?<!\\\\)\\|");

    /// What stands above a table that is one requirement: `### 4.5 MMIO read response (CCIP-HDR-5,
    /// seed 1.3.7)`.
    private static final Pattern TABLE =
            Pattern.compile("(#+ [0-9.]+ )?(?<cells>[^|]*) \\(" + ID + ", (seed|public|design).*");

    /// Numbered rows that explain a catalog and require nothing: ambiguities, conflicts, decisions.
    private static final Pattern EXPLANATION = Pattern.compile("(AMB|SD|DD|C|V|D)-.*");

    /// All catalogs of a `spec` directory, by name.
    static List<Catalog> readAll(Path directory) throws IOException {
        List<Path> files;
        try (Stream<Path> entries = Files.list(directory)) {
            files = entries.filter(file -> file.toString().endsWith(ENDING)).sorted().toList();
        }
        List<Catalog> catalogs = new ArrayList<>();
        for (Path file : files) {
            String fileName = file.getFileName().toString();
            String name = fileName.substring(0, fileName.length() - ENDING.length());
            catalogs.add(parse(name, Files.readAllLines(file)));
        }
        return catalogs;
    }

    static Catalog parse(String name, List<String> lines) {
        Map<String, Row> rows = new LinkedHashMap<>();
        for (int i = 0; i < lines.size(); i++) {
            for (Pattern pattern : List.of(ROW, TABLE)) {
                Matcher row = pattern.matcher(lines.get(i));
                if (row.matches() && !EXPLANATION.matcher(row.group("id")).matches()) {
                    List<String> cells =
                            BAR.splitAsStream(row.group("cells"))
                                    .map(cell -> cell.replace("\\|", "|").strip())
                                    .toList();
                    String id = row.group("id");
                    rows.putIfAbsent(id, new Row(id, i + 1, cells));
                }
            }
        }
        return new Catalog(name, rows);
    }

    /// The row that a test's mark or a citation speaks of: `A-12` by its own ID or by that of a
    /// clause, `A-12b`.
    Optional<Row> rowOf(String mark) {
        Row row = rows.get(mark);
        if (row == null && !mark.isEmpty()) {
            row = rows.get(mark.substring(0, mark.length() - 1));
            return Optional.ofNullable(row).filter(found -> found.marks().contains(mark));
        }
        return Optional.ofNullable(row);
    }

    /// The text of a row or of one clause.
    String text(String mark) {
        Row row = rowOf(mark).orElseThrow();
        return row.clauses().stream()
                .filter(clause -> clause.id().equals(mark))
                .map(Row.Clause::text)
                .findFirst()
                .orElse(row.text());
    }
}
