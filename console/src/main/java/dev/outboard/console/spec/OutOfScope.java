package dev.outboard.console.spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The requirements that are declared out of scope, each with the reason: `spec/out-of-scope.tsv`,
/// whose lines are `ID <tab> reason`. An ID may hold `*` for any text; the first line that fits
/// counts. Lines that start with `#` are comments.
record OutOfScope(List<Entry> entries) {
    /// One line of the file.
    record Entry(String pattern, String reason) {
        boolean covers(String id) {
            String regex =
                    Stream.of(pattern.split("\\*", -1))
                            .map(Pattern::quote)
                            .collect(Collectors.joining(".*"));
            return id.matches(regex);
        }
    }

    static OutOfScope read(Path file) throws IOException {
        return parse(Files.readAllLines(file));
    }

    static OutOfScope parse(List<String> lines) {
        List<Entry> entries = new ArrayList<>();
        for (String line : lines) {
            String[] cells = line.split("\t", 2);
            if (cells.length == 2 && !line.startsWith("#")) {
                entries.add(new Entry(cells[0], cells[1].strip()));
            }
        }
        return new OutOfScope(List.copyOf(entries));
    }

    /// The line that puts `id` out of scope, if there is one.
    Optional<Entry> entryFor(String id) {
        return entries.stream().filter(entry -> entry.covers(id)).findFirst();
    }
}
