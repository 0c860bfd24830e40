package dev.outboard.ccip.rtl;

import dev.outboard.ccip.rtl.RtlException.Reason;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// One place of a design that the compiler does not take as it is, and what it is given instead.
/// Patches are kept as a list, so that the design itself stays as its author wrote it: a file with
/// one patch a line, of four fields separated by tabs; lines that begin with `#` are remarks.
///
/// @param file the name of the source file, without directories
/// @param line from 1
/// @param before what stands in that line
/// @param after what the compiler sees in its place
record Patch(String file, int line, String before, String after) {
    static List<Patch> read(Path list) {
        List<Patch> patches = new ArrayList<>();
        String[] lines = RtlDesign.read(list).split("\n");
        for (int i = 0; i < lines.length; i++) {
            if (lines[i].isBlank() || lines[i].startsWith("#")) {
                continue;
            }
            String[] fields = lines[i].split("\t", -1);
            if (fields.length != 4 || !fields[1].matches("[1-9]\\d{0,8}") || fields[2].isEmpty()) {
                throw new RtlException(
                        Reason.INPUT,
                        list
                                + ":"
                                + (i + 1)
                                + ": a patch is a file, a line number, the old and the new text,"
                                + " separated by tabs");
            }
            patches.add(new Patch(fields[0], Integer.parseInt(fields[1]), fields[2], fields[3]));
        }
        return List.copyOf(patches);
    }

    /// The text of a source with this patch.
    String applyTo(Path source, String text) {
        String[] lines = text.split("\n", -1);
        if (line > lines.length || !lines[line - 1].contains(before)) {
            throw new RtlException(
                    Reason.INPUT,
                    source
                            + ":"
                            + line
                            + ": the patch looks for \""
                            + before
                            + "\" and finds \""
                            + (line > lines.length ? "" : lines[line - 1].strip())
                            + "\"");
        }
        lines[line - 1] = lines[line - 1].replace(before, after);
        return String.join("\n", Arrays.asList(lines));
    }
}
