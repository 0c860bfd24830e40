package dev.outboard.dpa.cc;

import dev.outboard.dpa.machine.CodePlace;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Says in words of the programmer what the linker has not found: by file, line and function, with
/// what to do.
///
/// DPA-ERR-14a: functions of the host are no symbols of device code.
final class LinkErrors {
    private static final String UNDEFINED = "ld.lld: error: undefined symbol: ";
    private static final String REFERENCE = ">>> referenced by ";
    private static final String MORE = ">>>";
    private static final Pattern PLACE = Pattern.compile("\\S+:\\d+ \\((.+:\\d+)\\)");
    private static final Pattern FUNCTION = Pattern.compile(">>>.*:\\((.+)\\)");

    /// Of a compiler's own functions, those on `float`, `double` and `long double`.
    private static final Pattern FLOATING =
            Pattern.compile(
                    "(?=.*[sdth]f)__(add|sub|mul|div|neg|pow|fix|fixuns|float|floatun|extend|trunc|cmp|unord|eq|ne|lt|le|gt|ge)"
                            + "(sf|df|tf|hf|si|di|ti)[a-z]*[0-9]?");

    private static final Pattern HOST =
            Pattern.compile("(flexio_(?!dev_)|doca_(?!dpa_dev_|pcc_dev_)|ibv_|mlx5dv_|rdma_).+");

    private static final Set<String> ALLOCATORS =
            Set.of("malloc", "calloc", "realloc", "free", "aligned_alloc", "memalign");

    private static final Set<String> LIBRARY =
            Set.of(
                    "abort",
                    "assert",
                    "atoi",
                    "atol",
                    "bsearch",
                    "exit",
                    "fclose",
                    "fopen",
                    "fprintf",
                    "fputs",
                    "fwrite",
                    "getenv",
                    "isdigit",
                    "memchr",
                    "putchar",
                    "qsort",
                    "rand",
                    "snprintf",
                    "sprintf",
                    "sscanf",
                    "strcasecmp",
                    "strcat",
                    "strchr",
                    "strcpy",
                    "strdup",
                    "strncat",
                    "strnlen",
                    "strrchr",
                    "strstr",
                    "strtok",
                    "strtol",
                    "strtoul",
                    "time",
                    "usleep",
                    "vsnprintf");

    private LinkErrors() {}

    /// The symbols that the linker has not found.
    static List<String> missing(String output) {
        return output.lines()
                .filter(line -> line.startsWith(UNDEFINED))
                .map(line -> line.substring(UNDEFINED.length()))
                .toList();
    }

    /// What the linker has said, with a line for each place of an undefined symbol. The rest stays
    /// as it is.
    ///
    /// @param uses where those places are; of symbols without any they are where the linker says
    static String explain(String output, Map<String, List<CodePlace>> uses) {
        List<String> told = new ArrayList<>();
        String symbol = "";
        String place = "";
        for (String line : output.split("\n")) {
            Matcher function = FUNCTION.matcher(line);
            if (line.startsWith(UNDEFINED)) {
                symbol = line.substring(UNDEFINED.length());
                for (CodePlace use : uses.getOrDefault(symbol, List.of())) {
                    String known = "%s:%d".formatted(use.file(), use.line());
                    told.add(tell(known, use.function(), symbol));
                }
            } else if (line.startsWith(REFERENCE)) {
                place = place(line.substring(REFERENCE.length()));
            } else if (!symbol.isEmpty() && function.matches()) {
                if (!uses.containsKey(symbol)) {
                    told.add(tell(place, function.group(1), symbol));
                }
            } else if (!line.isBlank() && (symbol.isEmpty() || !line.startsWith(MORE))) {
                symbol = "";
                told.add(line);
            }
        }
        return String.join("\n", told);
    }

    private static String tell(String place, String function, String symbol) {
        return "%s: function '%s' %s".formatted(place, function, why(symbol));
    }

    /// The file as it was given to the compiler, and the line.
    private static String place(String reference) {
        Matcher place = PLACE.matcher(reference);
        return place.matches() ? place.group(1) : reference;
    }

    private static String why(String symbol) {
        String what;
        String remedy;
        if (FLOATING.matcher(symbol).matches()) {
            what = "uses floating point ('%s'), which device code does not have";
            remedy =
                    "use integers, or Q16.16 with __dpa_fxp_log2, __dpa_fxp_rcp and __dpa_fxp_pow2";
        } else if (HOST.matcher(symbol).matches()) {
            what = "calls '%s', which is a function of the host: no such symbol in device code";
            remedy = "call it in the host program, and pass to the DPA what it gives";
        } else if (ALLOCATORS.contains(symbol)) {
            what = "calls '%s', and device code does not allocate: no such symbol";
            remedy = "have the host allocate heap of the DPA, and pass the address";
        } else if (LIBRARY.contains(symbol)) {
            what = "calls '%s', which device code does not have: no such symbol";
            remedy =
                    "of the C library there are printf, puts, memcpy, memmove, memset, memcmp, strlen, strcmp, strncmp and strncpy";
        } else {
            what = "uses '%s', an undefined symbol";
            remedy = "compile the source that defines it, too";
        }
        return what.formatted(symbol) + "; " + remedy;
    }
}
