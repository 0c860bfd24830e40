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

/// One requirement catalog: a Markdown file of `spec/` whose table rows that start with an ID are
/// the requirements.
///
/// @param name the file's name without its ending
/// @param rows what is required, by ID, in the order of the file
record Catalog(String name, Map<String, String> rows) {
    private static final String ENDING = ".md";

    /// A row such as `| ROCE-RC-12 | what is required | …`; the ID may stand in backquotes.
    private static final Pattern ROW =
            Pattern.compile(
                    "\\| *`?(?<id>[A-Z]+(-[A-Z0-9]+)*-[0-9]+[a-z]?)\\b[^|]*\\|(?<text>[^|]*).*");

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
            Matcher row = ROW.matcher(line);
            if (row.matches() && !EXPLANATION.matcher(row.group("id")).matches()) {
                rows.putIfAbsent(row.group("id"), row.group("text").strip());
            }
        }
        return new Catalog(name, rows);
    }
}
