package dev.outboard.console.spec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The IDs in tests and in the list of exceptions are those of the catalogs.
class RequirementMarksTest {
    private static final Path ROOT = Repository.root();
    private static final Pattern MARK = Pattern.compile("@Requirement\\(([^)]*)\\)");
    private static final Pattern ID = Pattern.compile("\"([^\"]*)\"");

    /// The test kit's own tests mark with invented IDs.
    private static final Path INVENTED = ROOT.resolve("testkit");

    @Test
    void everyMarkNamesACatalogRow() throws IOException {
        Set<String> unknown = new HashSet<>();
        for (Path source : testSources()) {
            Matcher mark = MARK.matcher(Files.readString(source));
            while (mark.find()) {
                ID.matcher(mark.group(1)).results().forEach(id -> unknown.add(id.group(1)));
            }
        }
        unknown.removeAll(catalogIds());

        assertThat(unknown).isEmpty();
    }

    @Test
    void everyExceptionCoversACatalogRow() throws IOException {
        Set<String> ids = catalogIds();

        assertThat(OutOfScope.read(ROOT.resolve("spec/out-of-scope.tsv")).entries())
                .allMatch(entry -> ids.stream().anyMatch(entry::covers))
                .noneMatch(entry -> entry.reason().isEmpty());
    }

    private static Set<String> catalogIds() throws IOException {
        Set<String> ids = new HashSet<>();
        Catalog.readAll(ROOT.resolve("spec"))
                .forEach(catalog -> ids.addAll(catalog.rows().keySet()));
        return ids;
    }

    private static List<Path> testSources() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> file.toString().contains("src/test/"))
                    .filter(file -> !file.startsWith(INVENTED))
                    .toList();
        }
    }
}
