package dev.outboard.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.Finding;
import dev.outboard.naa.MrspException;
import dev.outboard.naa.ReturnCode;
import dev.outboard.testkit.Repository;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// `docs/guide/troubleshooting.md` quotes what the program says, and has an answer to all of it
/// that can be listed.
class TroubleshootingTest {
    private static final Pattern QUOTE = Pattern.compile("`([^`]+)`");
    private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\\n]|\\\\.)*)\"");
    private static final String GAP = "…";

    private static String page = "";

    /// The string literals of each source file, those that are added up as one.
    private static List<List<String>> literals = List.of();

    @BeforeAll
    static void readPageAndCode() throws IOException {
        Path root = Repository.root();
        page = Files.readString(root.resolve("docs/guide/troubleshooting.md"));
        List<List<String>> all = new ArrayList<>();
        for (String module : List.of("fabric", "naa", "node", "console")) {
            try (Stream<Path> files = Files.walk(root.resolve(module).resolve("src/main"))) {
                files.filter(file -> file.toString().endsWith(".java"))
                        .forEach(file -> all.add(literalsOf(file)));
            }
        }
        literals = all;
    }

    private static List<String> literalsOf(Path file) {
        try {
            String code = Files.readString(file).replaceAll("\"\\s*\\+\\s*\"", "");
            return LITERAL.matcher(code).results().map(hit -> hit.group(1)).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void everyQuotedMessageIsInTheCode() {
        List<String> quoted = firstCells("it says");

        assertThat(quoted).hasSizeGreaterThan(30).allMatch(TroubleshootingTest::isInTheCode);
    }

    private static boolean isInTheCode(String message) {
        List<String> parts =
                Arrays.stream(message.split(GAP))
                        .map(String::strip)
                        .filter(s -> s.length() > 3)
                        .toList();
        return literals.stream()
                .anyMatch(file ->
                        parts.stream()
                                .allMatch(part -> file.stream().anyMatch(s -> s.contains(part))));
    }

    @Test
    void everyCodeOfTheProtocolIsExplained() {
        for (int code = 1; code < 256; code++) {
            assertThat(page)
                    .contains(words(MrspException.explain(code)))
                    .contains(words(ReturnCode.explain(code)));
        }
    }

    /// What stands in parentheses; nothing for codes that the protocol leaves open.
    private static String words(String explanation) {
        String words = explanation.replaceFirst("0x.. \\((.*)\\)", "$1");
        return words.equals("unknown") ? "" : words;
    }

    @Test
    void everyLineOfTheDoctorIsExplained() {
        List<String> explained =
                firstColumn("line").stream()
                        .flatMap(cell -> Arrays.stream(cell.split(", ")))
                        .toList();
        List<Finding> findings = new ArrayList<>(Fabric.diagnose("roce://127.0.0.231"));
        findings.addAll(Fabric.diagnose("roce://[::1]"));

        assertThat(findings).extracting(Finding::subject).isSubsetOf(explained);
    }

    private static List<String> firstCells(String header) {
        return firstColumn(header).stream()
                .flatMap(cell -> QUOTE.matcher(cell).results())
                .map(quote -> quote.group(1))
                .toList();
    }

    /// The first column of all tables whose first column has this name.
    private static List<String> firstColumn(String header) {
        List<String> cells = new ArrayList<>();
        boolean inside = false;
        for (String line : page.lines().toList()) {
            if (!line.startsWith("|")) {
                inside = false;
            } else if (line.startsWith("| " + header + " |")) {
                inside = true;
            } else if (inside && !line.startsWith("| ---")) {
                cells.add(line.split("\\|")[1].strip());
            }
        }
        return cells;
    }
}
