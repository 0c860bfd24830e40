package dev.outboard.ccip.rtl;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What Verilator says about a place of a design. Immutable.
///
/// @param error whether the design cannot be compiled because of it
/// @param code Verilator's name of it, such as `WIDTH`; empty for a plain error
/// @param file as given to the compiler; empty when it concerns no file
/// @param line from 1, or 0 for no line
/// @param text one sentence
public record CompilerMessage(boolean error, String code, String file, int line, String text) {
    private static final Pattern FORM =
            Pattern.compile("%(Error|Warning)(?:-([A-Z0-9]+))?: (?:(.+?):(\\d+):(?:\\d+:)? )?(.+)");

    /// The messages in the output of Verilator. Its excerpts of the source and its advice on how to
    /// silence a warning are left out.
    static List<CompilerMessage> in(String output) {
        List<CompilerMessage> messages = new ArrayList<>();
        for (String line : output.split("\n")) {
            Matcher form = FORM.matcher(line);
            if (form.matches() && !form.group(5).startsWith("Exiting due to")) {
                messages.add(of(form));
            }
        }
        return List.copyOf(messages);
    }

    private static CompilerMessage of(Matcher form) {
        return new CompilerMessage(
                form.group(1).equals("Error"),
                form.group(2) == null ? "" : form.group(2),
                form.group(3) == null ? "" : form.group(3),
                form.group(4) == null ? 0 : Integer.parseInt(form.group(4)),
                form.group(5).strip());
    }

    /// The same message about the file that a copy was made of.
    CompilerMessage withFile(Path original) {
        return new CompilerMessage(error, code, original.toString(), line, text);
    }

    /// As compilers print it: file, line, text.
    @Override
    public String toString() {
        String place = file.isEmpty() ? "" : file + ":" + line + ": ";
        return place + text + (code.isEmpty() ? "" : " (" + code + ")");
    }
}
