package dev.outboard.console.spec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.console.Execution;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpecCommandTest {
    @TempDir Path root;

    @BeforeEach
    void writeASourceTree() throws IOException {
        write("spec/water.md", "| W-1 | wet |", "| W-2 | clear |", "| W-3 | cold |");
        write("spec/fire.md", "| F-1 | hot |");
        write("spec/out-of-scope.tsv", "# comment", "W-3\toptional\tnot here");
        write(
                "pool/src/test/java/PoolTest.java",
                "class PoolTest {",
                "    @Requirement(\"W-1\") void wet() {}",
                "}");
        write("pool/src/main/java/Pool.java", "/// W-1: filled to the brim.", "class Pool {}");
        writeResults("WHOLE", Instant.now().plusSeconds(60), "W-1\tPoolTest#wet\tPASSED");
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

    @Test
    void strictNamesWhatIsNotProven() throws IOException {
        assertThat(runStrictly())
                .containsSubsequence("Not proven: missing (2)", "F-1 W-2")
                .doesNotContain("Results do not count");

        write("spec/out-of-scope.tsv", "W-*\toptional\tno", "F-*\tplanned\tlater");
        assertThat(run("--strict")).doesNotContain("Not proven");

        writeResults("WHOLE", Instant.now().plusSeconds(60), "W-1\tPoolTest#wet\tFAILED");
        assertThat(runStrictly()).containsSubsequence("Not proven: failing (1)", "W-1");
    }

    @Test
    void strictCountsNoRowThatOnlySkippedTestsProve() throws IOException {
        write(
                "spec/out-of-scope.tsv",
                "W-2\toptional\tno",
                "W-3\toptional\tno",
                "F-1\toptional\tno");
        writeResults("WHOLE", Instant.now().plusSeconds(60), "W-1\tPoolTest#wet\tSKIPPED");

        assertThat(runStrictly()).containsSubsequence("Not proven: skipped (1)", "W-1");
    }

    @Test
    void saysWhichResultsAreNotThoseOfAllTestsOnTheseSources() throws IOException {
        assertThat(run()).doesNotContain("Not all results");

        Instant early = Instant.parse("2026-01-01T10:00:00Z");
        writeResults("WHOLE", early);
        assertThat(run())
                .containsPattern("pool: \\S+ has changed since the run of 2026-01-01T10:00:00Z");
        assertThat(runStrictly()).contains("Results do not count: pool: ");

        writeResults("PART", Instant.now().plusSeconds(60));
        assertThat(run()).contains("pool: only a part ran, 1 of 2 test classes");

        writeResults("UNFINISHED", Instant.now().plusSeconds(60));
        assertThat(run()).contains("did not come to its end");

        write("pool/target/requirements.tsv", "W-1\tPoolTest#wet\tPASSED");
        assertThat(run()).contains("pool: the results do not say when they were made");

        Files.delete(root.resolve("pool/target/requirements.tsv"));
        assertThat(run()).contains("pool: no results");
    }

    @Test
    void resultsRestOnTheModulesThatTheirsDependsOn() throws IOException {
        write("pool/pom.xml", "<groupId>dev.outboard</groupId>", "<artifactId>pipe</artifactId>");
        Path pipe = write("pipe/src/main/java/Pipe.java", "class Pipe {}");
        Path test = write("pipe/src/test/java/PipeTest.java", "class PipeTest {}");
        Files.setLastModifiedTime(test, FileTime.from(Instant.now().plusSeconds(999)));
        assertThat(run()).doesNotContain("Pipe");

        Files.setLastModifiedTime(pipe, FileTime.from(Instant.now().plusSeconds(999)));
        assertThat(run()).contains("pool: pipe/src/main/java/Pipe.java has changed");
    }

    @Test
    void doesWithoutAModuleWhenToldTo() throws IOException {
        write(
                "spec/out-of-scope.tsv",
                "W-2\toptional\tno",
                "W-3\toptional\tno",
                "F-1\toptional\tno");
        Files.delete(root.resolve("pool/target/requirements.tsv"));
        assertThat(runStrictly()).contains("Results do not count: pool: no results", "skipped (1)");

        assertThat(run("--strict", "--without", "pool"))
                .containsSubsequence("No evidence without pool (1)", "W-1");
        assertThat(outboard("--without", "pond").err()).contains("no module 'pond' in " + root);
    }

    @Test
    void listsWhatOnlySkippableTestsProve() throws IOException {
        assertThat(run()).doesNotContain("may be skipped");

        write(
                "pool/src/test/java/PoolTest.java",
                "class PoolTest {",
                "    @Requirement(\"W-1\") void wet() { assumeTrue(true); }",
                "}");
        assertThat(run())
                .containsSubsequence("of them only by tests that may be skipped (1)", "W-1");
    }

    @Test
    void printsOneRequirement() throws IOException {
        assertThat(run("W-1").lines())
                .containsExactly(
                        "W-1, proven, spec/water.md:1",
                        "  wet",
                        "  code  pool/src/main/java/Pool.java:1",
                        "  test  pool/src/test/java/PoolTest.java:2",
                        "        PoolTest#wet passed",
                        "");
        assertThat(run("F-1").lines())
                .contains(
                        "F-1, missing, spec/fire.md:1",
                        "  No code cites it.",
                        "  No test names it.");
        assertThat(run("W-3")).contains("spec/out-of-scope.tsv: optional, not here");
    }

    @Test
    void printsARequirementClauseByClause() throws IOException {
        write("spec/fire.md", "| F-1 | Fire is (a) hot; (b) bright. | seed |");
        write(
                "pool/src/test/java/FireTest.java",
                "class FireTest {",
                "    @Requirement(\"F-1a\") void hot() {}",
                "    @Requirement(\"F-1b\") void bright() {}",
                "}");
        writeResults("WHOLE", Instant.now(), "F-1a\ta.FireTest#hot\tFAILED");

        assertThat(run("F-1b").lines())
                .containsExactly(
                        "F-1, failing, spec/fire.md:1",
                        "  Fire is (a) hot; (b) bright.",
                        "  seed",
                        "  No code cites it.",
                        "  F-1a, failing: hot",
                        "  test  pool/src/test/java/FireTest.java:2",
                        "        a.FireTest#hot FAILED",
                        "  F-1b, skipped: bright.",
                        "  test  pool/src/test/java/FireTest.java:3",
                        "        did not run",
                        "");
    }

    @Test
    void saysWhichRequirementsThereAre() {
        assertThat(outboard("W-7").err())
                .contains("no catalog has a row 'W-7', there are W-1 to W-3");
        assertThat(outboard("wet").err())
                .contains("no catalog has a row 'wet', IDs look like ROCE-RC-16");
    }

    private static String run(String... words) {
        Execution run = outboard(words);
        assertThat(run.exitCode()).as(run.toString()).isZero();
        return run.out();
    }

    private static Execution outboard(String... words) {
        return Execution.ofOutboard(
                Stream.concat(Stream.of("spec"), Stream.of(words)).toArray(String[]::new));
    }

    private static String runStrictly() {
        Execution run = outboard("--strict");
        assertThat(run.exitCode()).as(run.toString()).isOne();
        return run.out();
    }

    private void writeResults(String extent, Instant start, String... rows) throws IOException {
        List<String> lines = new ArrayList<>(List.of(rows));
        lines.addFirst("#\t%s\t%s\t1\t2".formatted(extent, start));
        write("pool/target/requirements.tsv", lines.toArray(String[]::new));
    }

    private Path write(String file, String... lines) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        return Files.write(path, List.of(lines));
    }
}
