package dev.outboard.dpa.litmus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.Profile;
import dev.outboard.testkit.JsonSchema;
import dev.outboard.testkit.JsonText;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LitmusReportTest {
    private static final String WRONG =
            """
            litmus wrong "What is \\"expected\\" is wrong"
            variant a "no fence"
                T1: M[x]=7; M[f]=1
                T2: spin M[f]==1; r=M[x]
                allowed {r=7} {r=8}
                allowed PARANOID {r=0} {r=7}
            """;
    private static final String OPEN = "litmus open T: M[x]=1; DB(d) N: onDB(d); r=nicrd M[x]";

    private final LitmusReport report = new LitmusReport();

    private void explore(String file, String text, Profile... profiles) {
        Set<Profile> asked = EnumSet.noneOf(Profile.class);
        asked.addAll(List.of(profiles));
        report.explore(file, LitmusTest.parse(text), asked);
    }

    @Test
    void aLineSaysThatAFileIsAsExpected() {
        report.explore("LIT-8.dpa", LitmusCatalog.test(8), EnumSet.noneOf(Profile.class));
        assertThat(report.passes()).isTrue();
        assertThat(report.toString())
                .matches(
                        """
                        LIT-8.dpa  pass  28 explorations, \\d+ states
                        1 file: nothing unexpected, and nothing missing
                        """);
    }

    @Test
    void exploresEachProfileForWhichTheTestExpectsSomething() {
        report.explore("LIT-40.dpa", LitmusCatalog.test(40), EnumSet.noneOf(Profile.class));
        assertThat(report.toString()).startsWith("LIT-40.dpa  pass  5 explorations, ");
    }

    @Test
    void namesWhatIsUnexpectedAndWhatIsMissing() {
        explore("wrong.dpa", WRONG);
        explore("b.dpa", OPEN);
        assertThat(report.passes()).isFalse();
        assertThat(report.toString().replaceAll("\\d+ states", "S states"))
                .isEqualTo(
                        """
                        wrong.dpa  fail  3 explorations, S states
                            a SEED: unexpected {r=0}
                            a SEED: missing {r=8}
                            a BF3: unexpected {r=0}
                            a BF3: missing {r=8}
                        b.dpa      open  1 exploration, S states
                            SEED: {r=0} {r=1}
                        2 files: 1 not as expected
                        """);
    }

    @Test
    void exploresTheProfilesThatAreAsked() {
        explore("wrong.dpa", WRONG, Profile.PARANOID);
        explore("open.dpa", OPEN, Profile.COHERENT, Profile.BF3);
        assertThat(report.passes()).isTrue();
        assertThat(report.toString().replaceAll("\\d+ states", "S states"))
                .isEqualTo(
                        """
                        wrong.dpa  pass  1 exploration, S states
                        open.dpa   open  2 explorations, S states
                            BF3: {r=0} {r=1}
                            COHERENT: {r=0} {r=1}
                        2 files: nothing unexpected, and nothing missing
                        """);
    }

    @Test
    void jsonIsAsItsSchemaHasIt() throws IOException {
        explore("dir/wrong.dpa", WRONG);
        explore("open.dpa", OPEN);
        report.explore("LIT-6", LitmusCatalog.test(6), EnumSet.of(Profile.SEED));
        report.explore("LIT-26", LitmusCatalog.test(26), EnumSet.of(Profile.SEED));
        explore("hang.dpa", "litmus h T: W[x]=1; spin M[y]==1 observe on HANG X.x");
        explore("order.dpa", "litmus o T: DB(d) N: o=arrival order");
        assertThat(problems(report.json())).isEmpty();
    }

    private static List<String> problems(String json) throws IOException {
        return JsonSchema.problems(LitmusReport.class, "litmus-report.schema.json", json);
    }

    @Test
    void jsonTellsEveryExploration() {
        explore("wrong.dpa", WRONG, Profile.SEED);
        Map<?, ?> json = (Map<?, ?>) JsonText.parse(report.json());
        assertThat(json.get("passes")).isEqualTo(false);
        Map<?, ?> file = (Map<?, ?>) ((List<?>) json.get("files")).getFirst();
        assertThat(file.get("title")).isEqualTo("What is \"expected\" is wrong");
        assertThat(file.get("verdict")).isEqualTo("fail");
        Map<?, ?> exploration = (Map<?, ?>) ((List<?>) file.get("explorations")).getFirst();
        assertThat(exploration.get("outcomes")).isEqualTo(List.of("{r=0}", "{r=7}"));
        assertThat(exploration.get("unexpected")).isEqualTo(List.of("{r=0}"));
        assertThat(exploration.get("missing")).isEqualTo(List.of("{r=8}"));
        assertThat(exploration.get("profile")).isEqualTo("SEED");
        assertThat(exploration.get("variant")).isEqualTo("a");
        assertThat((Long) exploration.get("states")).isBetween(5L, 100L);
    }

    @Test
    void theSchemaRefusesWhatTheReportDoesNotWrite() throws IOException {
        explore("open.dpa", OPEN);
        String json = report.json();
        assertThat(problems(json.replace("\"open\"", "\"maybe\""))).hasSize(1);
        assertThat(problems(json.replace("\"{r=0}\"", "\"r=0\""))).hasSize(1);
        assertThat(problems(json.replace("\"states\"", "\"count\""))).hasSize(2);
        assertThat(problems(json.replace("\"version\": 1", "\"version\": 2"))).hasSize(1);
    }
}
