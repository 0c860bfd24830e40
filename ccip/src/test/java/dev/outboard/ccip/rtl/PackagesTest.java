package dev.outboard.ccip.rtl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// The packages `ccip_if_pkg` and `ccip_cfg_pkg` against the table of the names that designs for
/// CCI-P are written with.
class PackagesTest {
    /// A name, as the table has it.
    ///
    /// @param kind `value`, `bits` or `field`
    private record Row(String pkg, String name, String kind, String expected) {
        /// A check that stops the compiler, naming what is wrong.
        String check(int number) {
            return switch (kind) {
                case "value" -> stop(pkg + "::" + name, expected);
                case "bits" -> stop("$bits(" + pkg + "::" + name + ")", expected);
                default -> field(number);
            };
        }

        /// A field is where it is if all ones in it are ones at its place.
        private String field(int number) {
            String type = pkg + "::" + name.substring(0, name.indexOf('.'));
            String field = name.substring(name.indexOf('.'));
            String width = expected.substring(0, expected.indexOf('@'));
            String lowest = expected.substring(expected.indexOf('@') + 1);
            return """
            function automatic logic [741:0] ones%1$d();
                %2$s all = '0;
                all%3$s = {%4$s{1'b1}};
                return 742'(all);
            endfunction
            """
                            .formatted(number, type, field, width)
                    + stop("ones" + number + "()", "742'({" + width + "{1'b1}}) << " + lowest);
        }

        private String stop(String found, String wanted) {
            return "if (%s !== (%s)) $fatal(1, \"%s is not %s\");\n"
                    .formatted(found, wanted, name, expected);
        }
    }

    private static String text(String resource) throws IOException {
        try (InputStream in = PackagesTest.class.getResourceAsStream(resource)) {
            return new String(
                    Objects.requireNonNull(in, resource).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static List<Row> rows() throws IOException {
        return text("packages.tsv")
                .lines()
                .filter(Predicate.not(line -> line.startsWith("#")))
                .map(line -> line.split("\t"))
                .map(cells -> new Row(cells[0], cells[1], cells[2], cells[3]))
                .toList();
    }

    @Requirement("CCIP-RTL-15")
    @Test
    void everyNameHasTheValueTheWidthAndThePlaceOfTheTable() throws IOException {
        StringBuilder body = new StringBuilder("assign pck_af2cp_sTx = '0;\n");
        List<Row> rows = rows();
        for (int i = 0; i < rows.size(); i++) {
            body.append(rows.get(i).check(i));
        }
        // A check that fails is an error of the compiler with the text of the check.
        assertThat(Verilator.build().compile(Verilator.afu(PackagesTest.class, body.toString())))
                .isNotNull();
    }

    @Requirement("CCIP-RTL-15")
    @Test
    void theTableHasEveryNameOfThePackages() throws IOException {
        Set<String> declared = new TreeSet<>();
        for (String pkg : List.of("ccip_if_pkg.sv", "ccip_cfg_pkg.sv")) {
            String code = text(pkg).replaceAll("//.*", "");
            for (String pattern :
                    List.of(
                            "parameter [^;=]*?(\\w+)(?:\\[4])? =",
                            "\\b((?:e[A-Z]|C[01]_REQ)\\w+) +=",
                            "(?:}|typedef logic [^;]*?) (\\w+);")) {
                for (Matcher name = Pattern.compile(pattern).matcher(code); name.find(); ) {
                    declared.add(name.group(1));
                }
            }
        }
        Set<String> listed = new TreeSet<>();
        rows().forEach(row -> listed.add(row.name().replaceAll("[.\\[].*", "")));
        assertThat(listed).isEqualTo(declared).hasSizeGreaterThan(90);
    }
}
