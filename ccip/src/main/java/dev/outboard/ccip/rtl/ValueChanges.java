package dev.outboard.ccip.rtl;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/// A value change dump that is read from its beginning to its end, to be merged with another of the
/// same unit of time.
final class ValueChanges implements AutoCloseable {
    private static final String END_OF_HEADER = "$enddefinitions";
    private static final String VALUES_WITH_SPACE = "bBrRsS";

    /// Identifiers of [dev.outboard.ccip.trace.VcdWriter] have two characters; with these before
    /// them those of others are none of them.
    private static final String OTHERS = "~~";

    private final BufferedReader reader;
    private String line = "";

    private ValueChanges(Path file) throws IOException {
        reader = Files.newBufferedReader(file, StandardCharsets.ISO_8859_1);
    }

    /// Writes a file with the signals and the changes of two.
    ///
    /// @param inside the one whose signals get other identifiers
    static void merge(Path port, Path inside, Path both) throws IOException {
        try (ValueChanges first = new ValueChanges(port);
                ValueChanges second = new ValueChanges(inside);
                BufferedWriter out = Files.newBufferedWriter(both, StandardCharsets.ISO_8859_1)) {
            first.header(out, false);
            second.header(out, true);
            out.write(END_OF_HEADER + " $end\n");
            long time = Math.min(first.time(), second.time());
            while (time != Long.MAX_VALUE) {
                out.write("#" + time + "\n");
                first.changes(time, out, "");
                second.changes(time, out, OTHERS);
                time = Math.min(first.time(), second.time());
            }
        }
    }

    /// Copies the header up to its end, or only its declarations, and goes on to the first time.
    private void header(BufferedWriter out, boolean declarationsOnly) throws IOException {
        for (next(); !line.startsWith(END_OF_HEADER); next()) {
            String[] words = line.strip().split(" +");
            if (words[0].equals("$var") && declarationsOnly) {
                words[3] = OTHERS + words[3];
            }
            if (!declarationsOnly || words[0].matches("\\$(var|scope|upscope)")) {
                out.write(String.join(" ", words) + "\n");
            }
        }
        while (!line.isEmpty() && line.charAt(0) != '#') {
            next();
        }
    }

    /// Goes to the next line that is not empty. After the last one there are only empty ones.
    private void next() throws IOException {
        String read = reader.readLine();
        while (read != null && read.isEmpty()) {
            read = reader.readLine();
        }
        line = read == null ? "" : read;
    }

    /// The time that the changes to come have.
    private long time() {
        return line.isEmpty() ? Long.MAX_VALUE : Long.parseLong(line, 1, line.length(), 10);
    }

    /// Copies the changes of this time, if it is their turn.
    private void changes(long time, BufferedWriter out, String prefix) throws IOException {
        if (time() != time) {
            return;
        }
        for (next(); !line.isEmpty() && line.charAt(0) != '#'; next()) {
            int id = VALUES_WITH_SPACE.indexOf(line.charAt(0)) < 0 ? 1 : line.indexOf(' ') + 1;
            out.write(line, 0, id);
            out.write(prefix);
            out.write(line, id, line.length() - id);
            out.write('\n');
        }
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
