package dev.outboard.console.spec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.console.Execution;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HtmlReportTest {
    private static final Pattern LINK = Pattern.compile("href=\"([^\"#]+)(#[^\"]*)?\"");

    @TempDir Path root;

    @BeforeEach
    void writeASourceTree() throws IOException {
        write(
                "spec/water.md",
                "## 1. Looks",
                "| W-1 | `wet` if <b>poured</b> & **not** frozen | seed |",
                "## 2. Feels",
                "| W-2 | (a) cold; (b) deep |",
                "| W-3 | salty |");
        write("spec/fire.md", "| F-1 | hot |");
        write("spec/out-of-scope.tsv", "W-3\toptional\ttoo <dry>", "F-*\tplanned\tlater");
        write(
                "pool/src/main/java/Pool.java",
                "class Pool {",
                "    /// W-1: the <brim> is \"full\".",
                "    int depth;",
                "}");
        write(
                "pool/src/test/java/PoolTest.java",
                "class PoolTest {",
                "    @Requirement({\"W-1\", \"W-2a\"})",
                "    void fills() {}",
                "}");
        write(
                "pool/target/requirements.tsv",
                "W-1\ta.PoolTest#fills\tPASSED",
                "W-2a\ta.PoolTest#fills\tPASSED");
        System.setProperty("outboard.home", root.toString());
    }

    @AfterEach
    void forgetTheSourceTree() {
        System.clearProperty("outboard.home");
    }

    @Test
    void theIndexCountsTheCatalogsAndLeadsToThem() throws IOException {
        assertThat(page("index.html"))
                .contains("<a href=\"water.html\">water</a></td><td>3</td><td>1</td>")
                .contains("all</td><td>4</td><td>1</td><td>1</td>")
                .containsSubsequence(
                        "href=\"fire.html\">F-*</a>",
                        "planned",
                        "later",
                        "href=\"water.html#W-3\">W-3</a>",
                        "optional",
                        "too &lt;dry&gt;")
                .contains("pool: the results do not say when they were made");
    }

    @Test
    void eachRowHasAnAnchorItsStateItsCodeAndItsTests() throws IOException {
        assertThat(page("water.html"))
                .containsSubsequence(
                        "<h2>1. Looks</h2>",
                        "<article class=\"row proven\" id=\"W-1\" data-state=\"proven\">",
                        "href=\"#W-1\"",
                        "<code>wet</code> if &lt;b&gt;poured&lt;/b&gt; &amp; <strong>not</strong>",
                        "seed",
                        "1 place in code",
                        "pool/src/main/java/Pool.java:2</a>",
                        "/// W-1: the &lt;brim&gt; is &quot;full&quot;.",
                        "int depth;",
                        "1 test</summary>",
                        "pool/src/test/java/PoolTest.java:2</a>",
                        "void fills() {}",
                        "a.PoolTest#fills",
                        "passed",
                        "</article>",
                        "<h2>2. Feels</h2>",
                        "id=\"W-2\" data-state=\"missing\"",
                        "<li class=\"proven\" id=\"W-2a\">",
                        "<li class=\"missing\" id=\"W-2b\">",
                        "id=\"W-3\" data-state=\"optional\"",
                        "optional: too &lt;dry&gt;");
    }

    @Test
    void aPageFiltersByStateAndSearches() throws IOException {
        assertThat(page("water.html"))
                .contains("data-state=\"proven\" aria-pressed=\"false\">proven 1</button>")
                .contains(">optional 1</button>", ">missing 1</button>")
                .doesNotContain(">failing 0</button>")
                .contains("<input id=\"search\"")
                .contains("<style>", "<script>")
                .doesNotContain("<link", "src=");
    }

    @Test
    void everyLinkLeadsToAFile() throws IOException {
        for (String name : List.of("index.html", "water.html", "fire.html")) {
            assertThat(LINK.matcher(page(name)).results().map(link -> link.group(1)))
                    .isNotEmpty()
                    .allMatch(link -> Files.exists(root.resolve("out/report").resolve(link)));
        }
        assertThat(LINK.matcher(page("water.html")).results().map(MatchResult::group))
                .contains("href=\"../../pool/src/main/java/Pool.java\"");
    }

    private String page(String name) throws IOException {
        Path report = root.resolve("out/report");
        Execution run = Execution.ofOutboard("spec", "--report", report.toString());
        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(run.out()).contains("Wrote " + report.resolve("index.html"));
        return Files.readString(report.resolve(name));
    }

    private void write(String file, String... lines) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.write(path, List.of(lines));
    }
}
