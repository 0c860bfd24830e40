package dev.outboard.fabric.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.contract.roce.RoceContractTest;
import dev.outboard.fabric.contract.sim.SimContractTest;
import dev.outboard.testkit.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Which suites there are, and that nobody leaves one out.
class SuitesTest {
    private static final Path ROOT = Repository.root();
    private static final String SUITES =
            "fabric-contract/src/main/java/dev/outboard/fabric/contract";
    private static final String ON_ROCE =
            "fabric-contract/src/test/java/dev/outboard/fabric/contract/roce/RoceContractTest.java";

    @ParameterizedTest
    @ValueSource(classes = {RoceContractTest.class, SimContractTest.class})
    void everyProviderRunsThemAll(Class<?> provider) throws IOException {
        assertThat(Arrays.stream(provider.getDeclaredClasses()).map(Class::getSuperclass))
                .extracting(Class::getSimpleName)
                .containsExactlyInAnyOrderElementsOf(suites());
    }

    @Test
    void theGuideNamesThemAll() throws IOException {
        assertThat(guide().lines())
                .filteredOn(line -> line.matches("\\| `\\w+Contract` \\|.*"))
                .map(line -> line.split("`")[1])
                .containsExactlyInAnyOrderElementsOf(suites());
    }

    @Test
    void theGuideShowsHowTheyAreRunOnRoce() throws IOException {
        List<MatchResult> blocks =
                Pattern.compile("(?s)```java\n(.*?)```").matcher(guide()).results().toList();
        String source = Files.readString(ROOT.resolve(ON_ROCE));
        assertThat(blocks).isNotEmpty();
        assertThat(blocks)
                .allSatisfy(
                        block -> assertThat(source).containsIgnoringWhitespaces(block.group(1)));
    }

    private static String guide() throws IOException {
        return Files.readString(ROOT.resolve("docs/guide/write-a-provider.md"));
    }

    private static List<String> suites() throws IOException {
        try (Stream<Path> files = Files.list(ROOT.resolve(SUITES))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith("Contract.java"))
                    .map(name -> name.replaceFirst("\\.java$", ""))
                    .toList();
        }
    }
}
