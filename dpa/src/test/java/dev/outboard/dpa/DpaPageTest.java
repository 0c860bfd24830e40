package dev.outboard.dpa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Repository;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The tables of `docs/dpa.md` name what there is, and all that a host can create.
class DpaPageTest {
    private static final Pattern NAME = Pattern.compile("`([A-Z][A-Za-z]+)\\.([a-z][A-Za-z0-9]+)`");
    private static final List<String> PACKAGES =
            List.of("flexio", "flexio.dev", "machine", "nic.layout", "doca", "doca.dev");

    private static List<String[]> names() throws IOException {
        List<String[]> names = new ArrayList<>();
        for (String line : Files.readAllLines(Repository.root().resolve("docs/dpa.md"))) {
            String[] cells = line.split("\\|");
            if (cells.length > 2) {
                Matcher name = NAME.matcher(cells[2]);
                while (name.find()) {
                    names.add(new String[] {name.group(1), name.group(2)});
                }
            }
        }
        return names;
    }

    private static Stream<Class<?>> classes(String simpleName) {
        return PACKAGES.stream()
                .flatMap(one -> {
                    try {
                        return Stream.of(
                                Class.forName("dev.outboard.dpa." + one + "." + simpleName));
                    } catch (ClassNotFoundException e) {
                        return Stream.empty();
                    }
                });
    }

    @Test
    void eachMethodIsThere() throws IOException {
        assertThat(names())
                .hasSizeGreaterThan(60)
                .allSatisfy(name ->
                        assertThat(classes(name[0]).flatMap(one -> Arrays.stream(one.getMethods())))
                                .as("%s.%s", name[0], name[1])
                                .anyMatch(method -> method.getName().equals(name[1])));
    }

    @Test
    void nothingThatAHostCreatesIsLeftOut() throws IOException {
        List<String> named = names().stream().map(name -> name[0]).toList();
        try (Stream<Path> sources =
                Files.list(
                        Repository.root().resolve("dpa/src/main/java/dev/outboard/dpa/flexio"))) {
            List<Class<?>> created =
                    sources.map(path -> path.getFileName().toString().replace(".java", ""))
                            .flatMap(DpaPageTest::classes)
                            .filter(one -> Modifier.isPublic(one.getModifiers()))
                            .filter(one ->
                                    Arrays.stream(one.getMethods())
                                            .anyMatch(method -> method.getName().equals("create")))
                            .toList();
            assertThat(created)
                    .extracting(Class::getSimpleName)
                    .hasSizeGreaterThan(8)
                    .allMatch(name -> named.contains(name));
        }
    }
}
