package dev.outboard.ccip.rtl;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Where a design calls `$fatal`, itself or by a macro. In the C++ that Verilator makes it looks
/// like `$error`, which ends nothing: the native side of the port tells them apart by their places.
final class FatalPlaces {
    private static final Pattern DEFINED =
            Pattern.compile("`define\\s+(\\w+)((?:[^\\n]*\\\\\\r?\\n)*[^\\n]*)");

    private FatalPlaces() {}

    /// Writes them as a table in C++.
    static void write(Set<Path> files, Path header) throws IOException {
        Set<String> calls = new HashSet<>(Set.of("$fatal"));
        for (Path file : files) {
            for (Matcher macro = DEFINED.matcher(RtlDesign.read(file)); macro.find(); ) {
                if (macro.group(2).contains("$fatal")) {
                    calls.add("`" + macro.group(1));
                }
            }
        }
        Pattern call =
                Pattern.compile(
                        "(?:"
                                + String.join("|", calls.stream().map(Pattern::quote).toList())
                                + ")\\b");
        StringBuilder table = new StringBuilder("static const char* const FATAL_PLACES[] = {\n");
        for (Path file : files) {
            for (int line : lines(file, call)) {
                String place = file + ":" + line;
                table.append('"')
                        .append(place.replace("\\", "\\\\").replace("\"", "\\\""))
                        .append("\",\n");
            }
        }
        Files.writeString(header, table + "nullptr};\n", StandardCharsets.UTF_8);
    }

    private static List<Integer> lines(Path file, Pattern call) {
        List<Integer> found = new ArrayList<>();
        String[] lines = RtlDesign.read(file).split("\n", -1);
        for (int i = 0; i < lines.length; i++) {
            if (call.matcher(lines[i]).find()) {
                found.add(i + 1);
            }
        }
        return found;
    }
}
