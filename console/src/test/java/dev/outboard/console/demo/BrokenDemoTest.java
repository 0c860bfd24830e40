package dev.outboard.console.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.console.Execution;
import dev.outboard.testkit.Repository;
import java.awt.image.Raster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BrokenDemoTest {
    private static final Path SOURCE =
            Path.of("console/src/main/java/dev/outboard/console/demo/EdgeSender.java");
    private static final String WRITEBACK =
            "thread.memoryWriteback(); // so that the NIC finds the edges";

    @TempDir private Path directory;

    @Test
    void damagesAPictureAndSaysWhichLineIsMissing() throws IOException {
        Execution run = demo("--break");

        assertThat(run.exitCode()).as(run.toString()).isZero();
        int missing = line(WRITEBACK);
        assertThat(run.out())
                .contains("line %d: %s".formatted(missing, WRITEBACK))
                .contains("error MISSING_MEMORY_WRITEBACK [DPA-CHK-1]")
                .contains("store by RPC at EdgeSender.java:%d (send)".formatted(missing - 2))
                .contains(
                        "announcement to NIC by RPC at EdgeSender.java:%d (send)"
                                .formatted(missing + 1))
                .contains(
                        "insert thread.memoryWriteback(); before EdgeSender.java:%d (send)"
                                .formatted(missing + 1))
                .contains("+            thread.memoryWriteback();")
                .contains("./outboard demo --break --fix")
                .doesNotContain("repaired");
        assertThat(run.out().lines()).hasSizeLessThanOrEqualTo(25);
        int wrong = wrongPixels();
        assertThat(wrong).isGreaterThan(5000);
        assertThat(run.out()).contains(wrong + " of 30000 pixels are wrong, in ");
    }

    @Test
    void runsWhatTheCheckerProposes() {
        Execution run = demo("--break", "--fix");

        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(run.out())
                .contains("With it the checker finds nothing any more.")
                .contains("repaired all 30000 pixels are right, in the same weak memory")
                .doesNotContain("--fix");
        assertThat(run.err()).isEmpty();
        assertThat(run.out().lines()).hasSizeLessThanOrEqualTo(25);
    }

    /// Luck does not mend a program: the checker needs none.
    @Test
    void findsTheMistakeAlsoWhereNothingWentWrong() throws IOException {
        Execution run = demo("--break", "--seed", "11");

        assertThat(run.out())
                .contains("0 of 30000 pixels are wrong: with this seed")
                .contains("error MISSING_MEMORY_WRITEBACK [DPA-CHK-1]");
        assertThat(wrongPixels()).isZero();
    }

    @Test
    void saysWhichWordsDoNotGoTogether() {
        assertThat(demo("--break", "--on", "dpa"))
                .isEqualTo(usage("--on is not for --break, which paints a picture of its own"));
        assertThat(demo("--fix").exitCode()).isEqualTo(2);
    }

    private static Execution usage(String problem) {
        return new Execution(
                2, "", "outboard: %s (see 'outboard demo --help')%n".formatted(problem));
    }

    private Execution demo(String... options) {
        List<String> words = new ArrayList<>(List.of("demo", "--out"));
        words.add(directory.toString());
        words.addAll(List.of(options));
        return Execution.ofOutboard(words.toArray(String[]::new));
    }

    private static int line(String text) throws IOException {
        List<String> lines = Files.readAllLines(Repository.root().resolve(SOURCE));
        return lines.stream().map(String::strip).toList().indexOf(text) + 1;
    }

    private int wrongPixels() throws IOException {
        Raster broken = ImageFile.read(directory.resolve("edges-broken.png")).getRaster();
        Raster right = ImageFile.read(directory.resolve("edges.png")).getRaster();
        int wrong = 0;
        for (int y = 0; y < right.getHeight(); y++) {
            for (int x = 0; x < right.getWidth(); x++) {
                wrong += broken.getSample(x, y, 0) == right.getSample(x, y, 0) ? 0 : 1;
            }
        }
        return wrong;
    }
}
