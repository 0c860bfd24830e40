package dev.outboard.console.spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// One requirement catalog: a Markdown file of `spec/`. Its requirements are the table rows that
/// start with an ID, and the tables whose heading has one.
///
/// @param name the file's name without its ending
/// @param rows what is required, by ID, in the order of the file
record Catalog(String name, Map<String, String> rows) {
    private static final String ENDING = ".md";

    private static final String ID = "(?<id>[A-Z]+(-[A-Z0-9]+)*-[0-9]+(\\.[0-9]+)?[a-z]?)";

    /// A row such as `| ROCE-RC-12 | what is required | …`; the ID may stand in backquotes.
    private static final Pattern ROW =
            Pattern.compile("\\| *`?" + ID + "\\b[^|]*\\|(?<text>[^|]*).*");

    /// What stands above a table that is one requirement: `### 4.5 MMIO read response (CCIP-HDR-5,
    /// seed 1.3.7)`.
    private static final Pattern TABLE =
            Pattern.compile("(#+ [0-9.]+ )?(?<text>[^|]*) \\(" + ID + ", (seed|public|design).*");

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
        Map<String, String> rows = new LinkedHashMap<>();
        for (String line : lines) {
            for (Pattern pattern : List.of(ROW, TABLE)) {
                Matcher row = pattern.matcher(line);
                if (row.matches() && !EXPLANATION.matcher(row.group("id")).matches()) {
                    rows.putIfAbsent(row.group("id"), row.group("text").strip());
                }
            }
        }
        return new Catalog(name, rows);
    }
}
