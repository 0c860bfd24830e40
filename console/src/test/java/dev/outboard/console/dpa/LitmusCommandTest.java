package dev.outboard.console.dpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.outboard.dpa.litmus.LitmusCatalog;
import dev.outboard.dpa.litmus.LitmusReport;
import dev.outboard.dpa.litmus.LitmusTest;
import dev.outboard.testkit.JsonSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.ExitCode;

class LitmusCommandTest extends DpaCommandFixture {
    @Test
    void withoutAFileItExploresTheCatalog() {
        assertThat(run("litmus")).isZero();
        assertThat(out.toString().lines())
                .hasSize(41)
                .last()
                .isEqualTo("40 files: nothing unexpected, and nothing missing");
        assertThat(out.toString())
                .containsPattern("LIT-1 +pass +24 explorations")
                .doesNotContain("fail");
    }

    @Test
    void printsAVerdictForEachFileOfADirectory() throws IOException {
        file("a.dpa", LitmusCatalog.text(1));
        file("b.dpa", LitmusCatalog.text(2).replace("{r0=1 r1=1}", "{r0=1 r1=2}"));
        LitmusTest test = LitmusCatalog.test(8);
        file("c.litmus", test.herd(test.variant("b")));
        file("notes.txt", "no litmus test");
        assertThat(run("litmus", directory.toString())).isEqualTo(ExitCode.SOFTWARE);
        assertThat(out.toString())
                .contains("/a.dpa     pass  ")
                .contains("/b.dpa     fail  ")
                .contains("    b SEED: unexpected {r0=1 r1=1}\n    b SEED: missing {r0=1 r1=2}\n")
                .contains("/c.litmus  pass  4 explorations")
                .endsWith("3 files: 1 not as expected\n");
    }

    @Test
    void listsTheOutcomesOfATestThatExpectsNothing() throws IOException {
        String file = file("mine.dpa", "litmus mine T: M[x]=1; DB(d) N: onDB(d); r=nicrd M[x]");
        assertThat(run("litmus", file, "--profile", "seed", "--profile", "coherent")).isZero();
        assertThat(out.toString()).contains("    SEED: {r=0} {r=1}\n    COHERENT: {r=0} {r=1}\n");
    }

    @Test
    void exploresTheProfilesThatAreAsked() throws IOException {
        String file = file("a.dpa", LitmusCatalog.text(1));
        assertThat(run("litmus", file, "--profile", "seed,bf3")).isZero();
        assertThat(out.toString()).contains("pass  12 explorations");
    }

    @Test
    void printsJson() throws IOException {
        String file = file("a.dpa", LitmusCatalog.text(15));
        assertThat(run("litmus", "--json", file)).isZero();
        assertThat(out.toString())
                .startsWith("{\n  \"version\": 1,\n  \"passes\": true,\n  \"files\": [\n")
                .contains("\"profile\": \"PARANOID\"")
                .endsWith("}\n");
    }

    @Test
    void jsonIsAsItsSchemaHasIt() throws IOException {
        file("a.dpa", LitmusCatalog.text(6));
        file("b.dpa", LitmusCatalog.text(2).replace("{r0=1 r1=1}", "{r0=1 r1=2}"));
        file("c.dpa", "litmus open T: M[x]=1; DB(d) N: onDB(d); r=nicrd M[x]");
        assertThat(run("litmus", "--json", directory.toString())).isEqualTo(ExitCode.SOFTWARE);
        assertThat(out.toString()).contains("\"pass\"", "\"fail\"", "\"open\"", "{HANG}");
        assertThat(
                        JsonSchema.problems(
                                LitmusReport.class, "litmus-report.schema.json", out.toString()))
                .isEmpty();
    }

    @Test
    void badInputEndsWithTwo() throws IOException {
        String bad = file("bad.dpa", "litmus bad\nT: M[x]=\n");
        assertThat(run("litmus", bad)).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString())
                .contains("bad.dpa is no litmus test: Line 3, column 1: expected a number");
        String herd = file("bad.litmus", "DPA bad\n{}\n P0 ;\n M[x ;\nforall (true)\n");
        assertThat(run("litmus", herd)).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("bad.litmus is no litmus test: Line 4, column 6: ");
        assertThat(run("litmus", directory.resolve("none.dpa").toString()))
                .isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("no such file or directory: ");
        assertThat(run("litmus", Files.createDirectory(directory.resolve("empty")).toString()))
                .isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("no file *.dpa or *.litmus in the directory ");
        assertThat(run("litmus", herd, "--profile", "fast")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("'--profile'", "PARANOID", "but was 'fast'");
        String deep = file("deep.dpa", "litmus d T: r=" + "(".repeat(100_000));
        assertThat(run("litmus", deep)).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("deep.dpa is no litmus test: it is nested too deeply");
    }

    /// A file that gives an error when it is read stands for all that the system refuses.
    @Test
    void aFileThatCannotBeReadIsBadInput() throws IOException {
        Files.createDirectory(directory.resolve("a.dpa"));
        assertThat(run("litmus", directory.toString())).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("no file *.dpa or *.litmus in the directory ");
        Path memory = Path.of("/proc/self/mem");
        assumeTrue(Files.exists(memory));
        assertThat(run("litmus", memory.toString())).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains(memory + " cannot be read: ");
    }
}
