package dev.outboard.console.spec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Repository;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Whatever names a requirement, in code, tests, documents or a catalog, names one that there is.
class IdsTest {
    private static final Path ROOT = Repository.root();

    /// What looks like an ID, written out or, as catalogs do among themselves, without its first
    /// part: `FEN-4`.
    private static final Pattern ID =
            Pattern.compile("(?<![\\w-])[A-Z]+(-[A-Z0-9]+)*-[0-9]+(\\.[0-9]+)?[a-z]?(?![\\w-])");

    /// A line that numbers an ambiguity, conflict or decision: no requirement, but something that a
    /// catalog may name.
    private static final Pattern EXPLANATION =
            Pattern.compile("(?m)^\\| *((AMB|SD|DD|C|V|D)-[0-9]+[a-z]?) *\\|");

    private static final Set<String> NOT_OURS = Set.of("AVX-512", "CRC-32", "EUI-64", "UTF-8");
    private static final Pattern CODE = Pattern.compile("`[^`]*`?");
    private static final Pattern TEXT = Pattern.compile(".*\\.(java|md|tsv|sv|svh|c|h|lua)");

    private final List<Catalog> catalogs = Catalog.readAll(ROOT.resolve("spec"));

    IdsTest() throws IOException {}

    @Test
    void everyIdThatIsWrittenOutIsARow() throws IOException {
        Set<String> roots =
                catalogs.stream()
                        .flatMap(catalog -> catalog.rows().keySet().stream())
                        .map(id -> id.substring(0, id.indexOf('-') + 1))
                        .collect(Collectors.toSet());
        Set<String> unknown = new TreeSet<>();
        for (Path file : texts()) {
            ids(Files.readString(file))
                    .filter(id -> roots.stream().anyMatch(id::startsWith))
                    .filter(id -> catalogs.stream().noneMatch(c -> c.rowOf(id).isPresent()))
                    .forEach(id -> unknown.add(ROOT.relativize(file) + ": " + id));
        }

        assertThat(roots).contains("ROCE-", "NAA-", "DCORE-", "CCIP-", "DPA-");
        assertThat(unknown).isEmpty();
    }

    @Test
    void codeCitesRequirementsInOneForm() throws IOException {
        Set<String> wrong = new TreeSet<>();
        for (Path file : new SourceTree(ROOT).files("src/main", ".java")) {
            List<String> lines = Files.readAllLines(file);
            for (int i = 0; i < lines.size(); i++) {
                if (isWrong(lines.get(i), i == 0 ? "" : lines.get(i - 1))) {
                    wrong.add("%s:%d:%s".formatted(ROOT.relativize(file), i + 1, lines.get(i)));
                }
            }
        }

        assertThat(wrong)
                .as("write '/// ROCE-RC-9: what it says', beginning a paragraph")
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '!',
            textBlock =
                    """
                    '/// ROCE-RC-9: wet.'             ! ''         ! false
                    '    /// ROCE-RC-9, ROCE-RC-2: wet.' ! '    ///'  ! false
                    '/// ROCE-RC-8: deep.'            ! '/// ROCE-RC-9: wet.' ! false
                    '/// as in `ROCE-RC-9: x`'        ! ''         ! false
                    '    A("ROCE-RC-9"),'             ! ''         ! false
                    '/// Wet (ROCE-RC-9).'            ! ''         ! true
                    '// See ROCE-RC-9: wet.'          ! ''         ! true
                    '// ROCE-RC-9: wet.'              ! ''         ! true
                    '/// ROCE-RC-9 wet.'              ! ''         ! true
                    '/// ROCE-RC-9: wet.'             ! '/// Text' ! true
                    'int a; // ROCE-RC-9: wet.'       ! ''         ! true
                    """)
    void aCitationIsALineOfItsOwn(String line, String before, boolean isWrong) {
        assertThat(isWrong(line, before)).isEqualTo(isWrong);
    }

    /// Whether a comment on `line` names a requirement in another form than that of a citation, or
    /// in the middle of a paragraph. What stands in backquotes is an example.
    private boolean isWrong(String line, String before) {
        int comment = line.indexOf("//");
        String text = comment < 0 ? "" : CODE.matcher(line.substring(comment)).replaceAll("");
        if (ids(text).noneMatch(id -> catalogs.stream().anyMatch(c -> c.rowOf(id).isPresent()))) {
            return false;
        }
        String above = before.strip();
        boolean beginsAParagraph =
                !above.startsWith("//")
                        || above.equals("///")
                        || Citations.FORM.matcher(before).matches();
        return !Citations.FORM.matcher(line).matches() || !beginsAParagraph;
    }

    @Test
    void everyShortIdInACatalogIsOneOfItsRows() throws IOException {
        Set<String> unknown = new TreeSet<>();
        for (Catalog catalog : catalogs) {
            String text = Files.readString(ROOT.resolve("spec/" + catalog.name() + ".md"));
            Set<String> known = new HashSet<>(NOT_OURS);
            EXPLANATION.matcher(text).results().forEach(row -> known.add(row.group(1)));
            ids(text)
                    .filter(id -> !known.contains(id))
                    .filter(id -> catalogs.stream().noneMatch(c -> c.rowOf(id).isPresent()))
                    .filter(id ->
                            catalog.rows().keySet().stream()
                                    .noneMatch(row -> row.endsWith("-" + id)))
                    .forEach(id -> unknown.add(catalog.name() + ": " + id));
        }

        assertThat(unknown).isEmpty();
    }

    private static Stream<String> ids(String text) {
        return ID.matcher(text).results().map(MatchResult::group);
    }

    /// The repository's own text files; not what a build or an editor leaves there.
    private static List<Path> texts() throws IOException {
        Set<Path> files = new TreeSet<>();
        Files.walkFileTree(
                ROOT,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(
                            Path directory, BasicFileAttributes attributes) {
                        String name = directory.getFileName().toString();
                        boolean isHidden = name.startsWith(".") && !directory.equals(ROOT);
                        return isHidden || name.equals("target")
                                ? FileVisitResult.SKIP_SUBTREE
                                : FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                        if (TEXT.matcher(file.toString()).matches()) {
                            files.add(file);
                        }
                        return FileVisitResult.CONTINUE;
                    }
                });
        return List.copyOf(files);
    }
}
