package dev.outboard.ccip.rtl;

import dev.outboard.ccip.rtl.RtlException.Reason;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Lists of source files as they lie beside AFUs: one entry a line, paths relative to the list.
///
/// - a file, by its name as in [RtlDesign#of(List)]; a directory to include from;
/// - `+incdir+DIRECTORY`, `+define+NAME=value`, each also with several after another;
/// - `C:LIST`: a list in place of this line; `SI:LIST`, `SI_VLOG:LIST`, `-F LIST`, `-f LIST`: one
///   for simulators, which is the same here; `-v FILE` and `-y DIRECTORY`;
/// - `QI:` and `SI_VHDL:` and files for synthesis only (constraints, IP, scripts) are passed over;
/// - `${NAME}` and `$NAME` stand for variables of the environment; `#` and `//` begin remarks.
final class SourceList {
    private static final Set<String> SYNTHESIS =
            Set.of("sdc", "qsf", "qsys", "ip", "ipx", "qip", "tcl", "stp", "hex", "mif", "mk");
    private static final Pattern VARIABLE = Pattern.compile("\\$(?:\\{(\\w+)}|(\\w+))");
    private static final Pattern OPTION = Pattern.compile("-([Ffvy])\\s+(\\S.*)");
    private static final Pattern INCLUDED = Pattern.compile("(?:C|SI|SI_VLOG):(.+)");
    private static final Pattern ELSEWHERE = Pattern.compile("(?:QI|SI_VHDL):.*|\\+libext\\+.*");

    private final Map<String, String> environment;

    /// The lists that are being read, the outermost first.
    private final List<Path> open = new ArrayList<>();

    SourceList(Map<String, String> environment) {
        this.environment = environment;
    }

    /// The design with what a list names.
    RtlDesign addTo(RtlDesign design, Path list) {
        Path file = list.normalize();
        if (open.contains(file)) {
            throw new RtlException(Reason.INPUT, open.getLast() + " names " + file + ", a circle");
        }
        open.add(file);
        RtlDesign longer = design;
        String[] lines = RtlDesign.read(list).split("\n");
        for (int i = 0; i < lines.length; i++) {
            String entry = lines[i].replaceFirst("#.*|(^|\\s)//.*", "").strip();
            if (!entry.isEmpty() && !ELSEWHERE.matcher(entry).matches()) {
                String place = list + ":" + (i + 1);
                longer = added(longer, list, expanded(entry, place), place);
            }
        }
        open.removeLast();
        return longer;
    }

    /// CCIP-RTL-13: an entry of a list, as rtl_src_config reads it.
    private RtlDesign added(RtlDesign design, Path list, String entry, String place) {
        Matcher option = OPTION.matcher(entry);
        Matcher included = INCLUDED.matcher(entry);
        if (entry.startsWith("+incdir+")) {
            RtlDesign longer = design;
            for (String directory : values(entry)) {
                longer = longer.withInclude(list.resolveSibling(directory));
            }
            return longer;
        }
        if (entry.startsWith("+define+")) {
            RtlDesign longer = design;
            for (String macro : values(entry)) {
                longer = longer.withMacro(macro);
            }
            return longer;
        }
        if (included.matches()) {
            return isForSynthesis(entry)
                    ? design
                    : addTo(design, existing(list, included.group(1).strip(), place));
        }
        if (option.matches()) {
            Path file = existing(list, option.group(2), place);
            return switch (option.group(1)) {
                case "F", "f" -> addTo(design, file);
                case "v" -> design.with(file, this);
                default -> design.withInclude(file);
            };
        }
        if (entry.startsWith("+") || entry.startsWith("-") || entry.matches("[A-Z_]+:.*")) {
            throw new RtlException(
                    Reason.INPUT,
                    place
                            + ": \""
                            + entry
                            + "\" is not known; valid are files, directories, +incdir+, +define+,"
                            + " C:, SI:, SI_VLOG:, SI_VHDL:, QI:, -F, -f, -v and -y");
        }
        if (isForSynthesis(entry)) {
            return design;
        }
        Path file = existing(list, entry, place);
        if (entry.toLowerCase(Locale.ROOT).matches(".*\\.vhdl?")) {
            throw new RtlException(
                    Reason.INPUT,
                    place + ": " + file + " is VHDL; Verilator compiles Verilog and SystemVerilog");
        }
        return Files.isDirectory(file) ? design.withInclude(file) : design.with(file, this);
    }

    /// What stands between the `+` of `+define+A+B=1`.
    private static List<String> values(String entry) {
        String[] parts = entry.split("\\+");
        return List.of(parts).subList(2, parts.length);
    }

    private static boolean isForSynthesis(String entry) {
        return SYNTHESIS.contains(entry.substring(entry.lastIndexOf('.') + 1));
    }

    private static Path existing(Path list, String name, String place) {
        Path file = list.resolveSibling(name);
        if (!Files.exists(file)) {
            throw new RtlException(Reason.INPUT, place + ": " + file + " does not exist");
        }
        return file;
    }

    private String expanded(String entry, String place) {
        return VARIABLE.matcher(entry)
                .replaceAll(found -> {
                    String name = found.group(1) != null ? found.group(1) : found.group(2);
                    String value = environment.get(name);
                    if (value == null && !isForSynthesis(entry)) {
                        throw new RtlException(
                                Reason.INPUT, place + ": the environment has no variable " + name);
                    }
                    return Matcher.quoteReplacement(value == null ? "" : value);
                });
    }
}
