package dev.outboard.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// The types and methods that `docs/architecture.md` names, in its pictures and as code, are there.
class ArchitecturePageTest {
    private static final Pattern CODE = Pattern.compile("(?s)```\n.*?```|`[^`\n]+`");

    /// Of a type that is not written in capitals only, as abbreviations are, and perhaps of a
    /// member of it.
    private static final Pattern NAME =
            Pattern.compile("(?<![\\w./])([A-Z]\\w*[a-z]\\w*)(?:\\.([a-z]\\w+))?");

    private static final List<String> OF_THE_JDK = List.of("MemorySegment", "SecureRandom");

    /// Text of each source file of the product, by the name of its type.
    private static final Map<String, String> TYPES = new HashMap<>();

    private static String page;

    @BeforeAll
    static void read() throws IOException {
        Path root = Repository.root();
        page = Files.readString(root.resolve("docs/architecture.md"));
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file :
                    files.filter(each -> each.toString().matches(".*/src/main/java/.*\\.java"))
                            .toList()) {
                String name = file.getFileName().toString().replace(".java", "");
                TYPES.merge(name, Files.readString(file), String::concat);
            }
        }
    }

    private static List<MatchResult> names() {
        return CODE.matcher(page)
                .results()
                .flatMap(code -> NAME.matcher(code.group()).results())
                .filter(name -> !OF_THE_JDK.contains(name.group(1)))
                .toList();
    }

    @Test
    void everyTypeItNamesIsThere() {
        assertThat(names())
                .extracting(name -> name.group(1))
                .hasSizeGreaterThan(60)
                .isSubsetOf(TYPES.keySet());
    }

    @Test
    void everyMethodItNamesIsThere() {
        List<MatchResult> methods = names().stream().filter(name -> name.group(2) != null).toList();
        assertThat(methods).hasSizeGreaterThan(20);
        assertThat(methods)
                .allSatisfy(name ->
                        assertThat(TYPES.getOrDefault(name.group(1), ""))
                                .as(name.group())
                                .containsPattern("\\b" + name.group(2) + "\\("));
    }
}
