package dev.outboard.console.spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The lines of code that name the requirement which they keep. They have one form, which works
/// above declarations and inside methods alike: `/// ROCE-RC-9: an acknowledgement for a later
/// packet acknowledges the earlier ones.` Several IDs are parted by commas. In a longer comment
/// such a line begins a paragraph. Code that has the ID as a value, in quotes, names it too.
record Citations(List<Citation> all) {
    private static final String ID = "[A-Z]+(?:-[A-Z0-9]+)*-[0-9]+(?:\\.[0-9]+)?[a-z]?";
    private static final Pattern IDS = Pattern.compile(ID);

    /// A line of the form, the text that follows it included.
    static final Pattern FORM = Pattern.compile("\\s*/// (?<ids>" + ID + "(, " + ID + ")*): \\S.*");

    private static final Pattern QUOTED = Pattern.compile("\"(" + ID + ")\"");

    /// One ID on one line.
    ///
    /// @param line from 1
    record Citation(String id, Path file, int line) {}

    static Citations read(SourceTree tree) throws IOException {
        List<Citation> all = new ArrayList<>();
        for (String ending : List.of(".java", ".sv")) {
            for (Path file : tree.files("src/main", ending)) {
                List<String> lines = Files.readAllLines(file);
                for (int i = 0; i < lines.size(); i++) {
                    addFrom(lines.get(i), file, i + 1, all);
                }
            }
        }
        return new Citations(List.copyOf(all));
    }

    private static void addFrom(String text, Path file, int line, List<Citation> into) {
        Matcher form = FORM.matcher(text);
        if (form.matches()) {
            IDS.matcher(form.group("ids"))
                    .results()
                    .forEach(id -> into.add(new Citation(id.group(), file, line)));
        } else if (!text.stripLeading().startsWith("//")) {
            QUOTED.matcher(text)
                    .results()
                    .forEach(id -> into.add(new Citation(id.group(1), file, line)));
        }
    }

    /// Those of a row and of its clauses.
    List<Citation> of(Row row) {
        return all.stream()
                .filter(each -> each.id().equals(row.id()) || row.marks().contains(each.id()))
                .toList();
    }
}
