package dev.outboard.console.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class SpecCommandTest {
    @TempDir Path root;

    @BeforeEach
    void writeASourceTree() throws IOException {
        write("spec/water.md", "| W-1 | wet |", "| W-2 | clear |", "| W-3 | cold |");
        write("spec/fire.md", "| F-1 | hot |");
        write("spec/out-of-scope.tsv", "# comment", "W-3\toptional\tnot here");
        write("pool/target/requirements.tsv", "W-1\tPoolTest#wet\tPASSED");
        System.setProperty("outboard.home", root.toString());
    }

    @AfterEach
    void forgetTheSourceTree() {
        System.clearProperty("outboard.home");
    }

    @Test
    void countsAndListsPerCatalog() {
        assertThat(run())
                .containsSubsequence(
                        "rows  proven  optional  not applicable  planned  deviation  skipped"
                                + "  missing  failing",
                        "fire            1       0         0               0        0"
                                + "          0        0        1        0",
                        "water           3       1         1               0        0"
                                + "          0        0        1        0",
                        "all             4       1         1               0        0"
                                + "          0        0        2        0",
                        "proven (1)",
                        "W-1",
                        "optional: W-3 (1), not here",
                        "missing (1)",
                        "W-2");
    }

    @Test
    void missingListsTheTextsOfWhatIsMissing() {
        assertThat(run("--missing", "--catalog", "water"))
                .contains("W-2            missing  clear")
                .doesNotContain("W-1", "W-3", "F-1");
    }

    @Test
    void saysWhenThereAreNoResults() throws IOException {
        Files.delete(root.resolve("pool/target/requirements.tsv"));

        assertThat(run()).startsWith("No test results yet");
    }

    private String run(String... words) {
        StringWriter out = new StringWriter();
        int exitCode =
                new CommandLine(new SpecCommand()).setOut(new PrintWriter(out)).execute(words);
        assertThat(exitCode).isZero();
        return out.toString();
    }

    private void write(String file, String... lines) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.write(path, List.of(lines));
    }
}
