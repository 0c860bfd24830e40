package dev.outboard.ccip.checker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// The violations against the tables of the catalog.
class ViolationTest {
    private static final String CATALOG = read();
    private static final Pattern NAME =
            Pattern.compile(
                    "`((?:C0TX|C1TX|MMIO|UMSG|TX|MEM|HAZ|PWR|RUN|CSR|DFL|HOST|FIU|RTL)_[A-Z0-9_]+)`");

    private static String read() {
        try {
            return Files.readString(Path.of("../spec/ccip.md"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String section(String from, String to) {
        int start = CATALOG.indexOf(from);
        return CATALOG.substring(start, CATALOG.indexOf(to, start));
    }

    private static Set<Violation> named(String text) {
        Set<Violation> named = EnumSet.noneOf(Violation.class);
        for (Matcher names = NAME.matcher(text); names.find(); ) {
            named.add(Violation.valueOf(names.group(1)));
        }
        return named;
    }

    /// The cells of the rows of a table, the first cell first.
    private static List<String[]> rows(String section) {
        return section.lines()
                .filter(line -> line.startsWith("| "))
                .map(line -> line.substring(1).split("\\|", -1))
                .toList();
    }

    @Test
    void areThoseOfTheCatalog() {
        Set<Violation> named = named(section("### 21.2", "### 21.3"));
        named.addAll(named(section("| CCIP-DFL-15 |", "### 18.4")));
        assertThat(named).isEqualTo(EnumSet.allOf(Violation.class));
    }

    @Test
    @Requirement("CCIP-CHK-2")
    void haveTheSeverityOfTheCatalog() {
        for (String[] row : rows(section("### 21.2", "FIU self-checks"))) {
            Severity severity =
                    switch (row[1].strip()) {
                        case "E" -> Severity.ERROR;
                        case "W" -> Severity.WARNING;
                        case "off" -> Severity.OFF;
                        default -> Severity.INFO;
                    };
            assertThat(named(row[0])).allMatch(violation -> violation.severity() == severity);
        }
        assertThat(named(section("FIU self-checks", "### 21.3")))
                .allMatch(violation -> violation.severity() == Severity.ERROR);
    }

    @Test
    void judgeAsAseDoesOrAsTheCatalogSaysInstead() {
        List<String[]> rows =
                rows(section("### 21.3", "### 21.4")).stream()
                        .filter(row -> row[0].strip().matches("[1-9][0-9]*"))
                        .toList();
        assertThat(rows).hasSize(35);
        for (String[] row : rows) {
            Severity severity = row[2].strip().equals("E") ? Severity.ERROR : Severity.WARNING;
            if (row[4].contains("off")) {
                severity = Severity.OFF;
            } else if (row[4].contains("folded")) {
                severity = Severity.ERROR;
            }
            assertThat(named(row[3]))
                    .as(row[1])
                    .isNotEmpty()
                    .extracting(Violation::severity)
                    .containsOnly(severity);
        }
    }

    @Test
    @Requirement("CCIP-CHK-1")
    void nameARuleOfTheCatalogAndSayWhatToDo() {
        for (Violation violation : Violation.values()) {
            assertThat(CATALOG).as(violation.name()).contains("| " + violation.rule() + " |");
            assertThat(violation.hint()).as(violation.name()).matches("[A-Za-z].{10,90}\\.");
        }
    }
}
