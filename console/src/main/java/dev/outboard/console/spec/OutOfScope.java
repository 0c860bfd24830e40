package dev.outboard.console.spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The requirements that no test has to prove, each with the kind of its exception and the reason:
/// `spec/out-of-scope.tsv`, whose lines are `ID <tab> kind <tab> reason`. An ID may hold `*` for
/// any text, and may be that of one clause; the first line that fits counts. Lines that start with
/// `#` are comments.
record OutOfScope(List<Entry> entries) {
    private static final List<State> KINDS =
            Arrays.stream(State.values()).filter(State::isDeclared).toList();

    /// One line of the file.
    record Entry(String pattern, State kind, String reason) {
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
            if (!line.isBlank() && !line.startsWith("#")) {
                entries.add(entry(line));
            }
        }
        return new OutOfScope(List.copyOf(entries));
    }

    private static Entry entry(String line) {
        String[] cells = line.split("\t", 3);
        Optional<State> kind =
                KINDS.stream()
                        .filter(state -> cells.length == 3 && cells[1].equals(state.word("-")))
                        .findFirst();
        if (kind.isEmpty() || cells[2].isBlank()) {
            String kinds =
                    KINDS.stream().map(state -> state.word("-")).collect(Collectors.joining(", "));
            throw new IllegalArgumentException(
                    "out-of-scope.tsv wants 'ID <tab> kind <tab> reason' with one of the kinds %s,"
                                    .formatted(kinds)
                            + " and has '%s'".formatted(line));
        }
        return new Entry(cells[0], kind.get(), cells[2].strip());
    }

    /// The line that puts `id` out of scope, if there is one.
    Optional<Entry> entryFor(String id) {
        return entries.stream().filter(entry -> entry.covers(id)).findFirst();
    }
}
