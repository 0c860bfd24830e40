package dev.outboard.ccip.litmus;

import static dev.outboard.ccip.litmus.ScenarioTest.scenario;
import static dev.outboard.ccip.platform.MemoryModel.MANUAL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.platform.MemoryModel;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class LitmusTest {
    private static final List<Profile> PLATFORMS = List.of(Profile.PAC_A10, Profile.INTEGRATED);

    /// One variant of each scenario on each platform.
    static Stream<Variant> firstVariants() {
        return PLATFORMS.stream()
                .flatMap(profile ->
                        Scenario.all().stream()
                                .flatMap(scenario ->
                                        Variant.of(scenario, profile).stream().limit(1)));
    }

    /// Which scenarios show a row of the catalog; `*` stands for any text. The rows of section 16
    /// are scenarios of their own name.
    private static final String ROWS =
            """
            CCIP-LIT-60   LIT-6 LIT-8 LIT-11 LIT-30 LIT-34 LIT-42 LIT-43 LIT-45 OBS-1
            CCIP-ORD-1    PASS-*
            CCIP-ORD-2    PASS-*
            CCIP-ORD-3    PASS-RR PASS-RW PASS-WR PASS-WW
            CCIP-ORD-4    PASS-* LIT-*
            CCIP-ORD-10   LIT-10 LIT-31 LIT-41
            CCIP-ORD-11   LIT-10 LIT-18b LIT-31 LINES-3
            CCIP-ORD-12   LIT-1 LIT-16c LIT-38
            CCIP-ORD-13   LIT-11 LIT-43 OBS-1
            CCIP-ORD-14   LIT-12 LIT-32 LIT-44 OBS-2
            CCIP-ORD-15   LIT-30 LIT-34 LIT-42
            CCIP-ORD-16   LIT-9 LIT-10
            CCIP-ORD-20   LIT-3* LIT-20 LIT-23 FENCE-3
            CCIP-ORD-21   PASS-WF PASS-FW PASS-FF PASS-FI PASS-IF LIT-23
            CCIP-ORD-22   LIT-13 PASS-RF PASS-FR
            CCIP-ORD-23   LIT-3 LIT-39 FENCE-1
            CCIP-ORD-24   LIT-5 LIT-36 FENCE-3
            CCIP-ORD-25   FENCE-2
            CCIP-ORD-26   PASS-FW LIT-12 FENCE-1
            CCIP-ORD-27   LIT-12 LIT-32
            CCIP-ORD-28   LIT-13 PASS-RF
            CCIP-ORD-29   FENCE-4
            CCIP-ORD-35   LIT-1 LIT-10 LIT-38
            CCIP-ORD-37   LINES-3 LINES-4
            CCIP-ORD-40   LIT-6 LIT-45
            CCIP-ORD-41   LIT-7 LIT-17b LIT-46
            CCIP-ORD-42   LIT-8
            CCIP-ORD-43   LIT-9 LIT-14 LIT-18 LIT-19
            CCIP-ORD-44   LIT-11 LIT-12
            CCIP-ORD-45   LIT-15 LIT-19b
            CCIP-ORD-46   LIT-15 OBS-4 LINES-2
            CCIP-ORD-47   OBS-3
            CCIP-ORM-11   CPU-*
            CCIP-ORM-20   LIT-* PASS-* OBS-* FENCE-* LINES-* CPU-* RSP-*
            CCIP-MCL-14   LINES-1 LINES-2 OBS-4
            CCIP-MOD-6    LIT-* PASS-*
            CCIP-INT-6    LIT-22 LIT-22b PASS-IW PASS-IR
            CCIP-VC-8     LIT-8 LIT-30 LIT-42
            """;

    private static final Pattern LITMUS_ROW = Pattern.compile("\\| (CCIP-LIT-(\\d+)) .*");
    private static final int LAST_SCENARIO = 46;

    private final Map<String, List<String>> failures = new HashMap<>();

    /// By row, the scenarios that show it.
    private static Map<String, List<Scenario>> rows() throws IOException {
        Map<String, List<Scenario>> rows = new TreeMap<>();
        for (String line : Files.readAllLines(Path.of("../spec/ccip.md"))) {
            Matcher row = LITMUS_ROW.matcher(line);
            if (row.matches() && Integer.parseInt(row.group(2)) <= LAST_SCENARIO) {
                rows.put(row.group(1), matching("LIT-" + row.group(2) + "[a-z]?"));
            }
        }
        ROWS.lines()
                .forEach(line -> {
                    List<String> words = List.of(line.split(" +"));
                    List<Scenario> scenarios = new ArrayList<>();
                    words.subList(1, words.size())
                            .forEach(name -> scenarios.addAll(matching(name.replace("*", ".*"))));
                    rows.put(words.getFirst(), scenarios);
                });
        return rows;
    }

    private static List<Scenario> matching(String name) {
        return Scenario.all().stream().filter(one -> one.name().matches(name)).toList();
    }

    /// A test for each row of the catalog, with its ID: in ADVERSARIAL mode all its scenarios have
    /// every outcome that is allowed and none that is forbidden or cannot be.
    @TestFactory
    @Requirement(
            table = true,
            value = {
                "CCIP-LIT-1",
                "CCIP-LIT-2",
                "CCIP-LIT-3",
                "CCIP-LIT-4",
                "CCIP-LIT-5",
                "CCIP-LIT-6",
                "CCIP-LIT-7",
                "CCIP-LIT-8",
                "CCIP-LIT-9",
                "CCIP-LIT-10",
                "CCIP-LIT-11",
                "CCIP-LIT-12",
                "CCIP-LIT-13",
                "CCIP-LIT-14",
                "CCIP-LIT-15",
                "CCIP-LIT-16",
                "CCIP-LIT-17",
                "CCIP-LIT-18",
                "CCIP-LIT-19",
                "CCIP-LIT-20",
                "CCIP-LIT-21",
                "CCIP-LIT-22",
                "CCIP-LIT-23",
                "CCIP-LIT-30",
                "CCIP-LIT-31",
                "CCIP-LIT-32",
                "CCIP-LIT-33",
                "CCIP-LIT-34",
                "CCIP-LIT-35",
                "CCIP-LIT-36",
                "CCIP-LIT-37",
                "CCIP-LIT-38",
                "CCIP-LIT-39",
                "CCIP-LIT-40",
                "CCIP-LIT-41",
                "CCIP-LIT-42",
                "CCIP-LIT-43",
                "CCIP-LIT-44",
                "CCIP-LIT-45",
                "CCIP-LIT-46",
                "CCIP-LIT-60",
                "CCIP-ORD-1",
                "CCIP-ORD-2",
                "CCIP-ORD-3",
                "CCIP-ORD-4",
                "CCIP-ORD-10",
                "CCIP-ORD-11",
                "CCIP-ORD-12",
                "CCIP-ORD-13",
                "CCIP-ORD-14",
                "CCIP-ORD-15",
                "CCIP-ORD-16",
                "CCIP-ORD-20",
                "CCIP-ORD-21",
                "CCIP-ORD-22",
                "CCIP-ORD-23",
                "CCIP-ORD-24",
                "CCIP-ORD-25",
                "CCIP-ORD-26",
                "CCIP-ORD-27",
                "CCIP-ORD-28",
                "CCIP-ORD-29",
                "CCIP-ORD-35",
                "CCIP-ORD-37",
                "CCIP-ORD-40",
                "CCIP-ORD-41",
                "CCIP-ORD-42",
                "CCIP-ORD-43",
                "CCIP-ORD-44",
                "CCIP-ORD-45",
                "CCIP-ORD-46",
                "CCIP-ORD-47",
                "CCIP-ORM-11",
                "CCIP-ORM-20",
                "CCIP-MCL-14",
                "CCIP-MOD-6",
                "CCIP-INT-6",
                "CCIP-VC-8"
            })
    Stream<DynamicTest> adversarialRunsHaveEveryAllowedOutcomeAndNoneThatCannotBe()
            throws Exception {
        Map<String, List<Scenario>> rows = rows();
        Method factory =
                getClass()
                        .getDeclaredMethod(
                                "adversarialRunsHaveEveryAllowedOutcomeAndNoneThatCannotBe");
        assertThat(rows.keySet())
                .containsExactlyInAnyOrder(factory.getAnnotation(Requirement.class).value());
        return rows.entrySet().stream()
                .map(row ->
                        DynamicTest.dynamicTest(
                                row.getKey(),
                                () -> {
                                    assertThat(row.getValue()).isNotEmpty();
                                    for (Scenario scenario : row.getValue()) {
                                        assertThat(failures(scenario)).isEmpty();
                                    }
                                }));
    }

    private List<String> failures(Scenario scenario) {
        return failures.computeIfAbsent(scenario.name(), _ -> failures(scenario, MANUAL));
    }

    private static List<String> failures(Scenario scenario, MemoryModel model) {
        List<String> failures = new ArrayList<>();
        for (Profile profile : PLATFORMS) {
            for (Variant variant : Variant.of(scenario, profile, model)) {
                LitmusResult result =
                        Litmus.run(variant, Mode.ADVERSARIAL, 1).with(Litmus.outcomes(variant));
                result.failures().forEach(failure -> failures.add(variant + ": " + failure));
            }
        }
        return failures;
    }

    /// Of the scenarios about responses all variants, of the others one on each platform.
    static Stream<Variant> measuredVariants() {
        return PLATFORMS.stream()
                .flatMap(profile ->
                        Scenario.all().stream()
                                .flatMap(scenario ->
                                        Variant.of(scenario, profile, MemoryModel.MEASURED).stream()
                                                .limit(
                                                        scenario.name().startsWith("RSP")
                                                                ? 99
                                                                : 1)));
    }

    @ParameterizedTest
    @MethodSource("measuredVariants")
    @Requirement("CCIP-ORM-23")
    void byTheMeasuredModelAResponseIsOneStepWithWhatItAnswers(Variant variant) {
        for (Mode mode : Mode.values()) {
            LitmusResult result = Litmus.run(variant, mode, 1).with(Litmus.outcomes(variant));
            assertThat(result.failures()).as("%s in mode %s", result, mode).isEmpty();
        }
    }

    /// The three outcomes that the measured model forbids.
    @ParameterizedTest
    @CsvSource({
        "RSP-1, 'a=1 answered=R2,W1'",
        "RSP-2, 'answered=F2,W3,W1'",
        "RSP-3, 'answered=F2,W1'"
    })
    @Requirement("CCIP-ORM-23")
    void theManualAllowsWhatTheMeasuredModelForbids(String name, String outcome) {
        for (Variant variant : Variant.of(scenario(name), Profile.INTEGRATED, MANUAL)) {
            assertThat(Litmus.outcomes(variant)).contains(outcome);
        }
        for (Variant variant :
                Variant.of(scenario(name), Profile.INTEGRATED, MemoryModel.MEASURED)) {
            assertThat(Litmus.outcomes(variant)).isNotEmpty().doesNotContain(outcome);
        }
    }

    @ParameterizedTest
    @MethodSource("firstVariants")
    @Requirement({"CCIP-ORM-21", "CCIP-MOD-6", "CCIP-ORD-4"})
    void timedRunsHaveNoOutcomeThatCannotBe(Variant variant) {
        LitmusResult result = Litmus.run(variant, Mode.TIMED, 1).with(Litmus.outcomes(variant));
        assertThat(result.failures()).as("%s", result).isEmpty();
    }

    @Test
    @Requirement("CCIP-CCH-7")
    void theCacheChangesNoOutcome() {
        for (String name : List.of("LIT-9", "LIT-11", "LIT-37", "LIT-43", "PASS-WWb")) {
            Scenario scenario = scenario(name);
            for (boolean cached : new boolean[] {true, false}) {
                Profile profile = Profile.INTEGRATED.withCache(cached);
                for (Variant variant : Variant.of(scenario, profile)) {
                    assertThat(Litmus.run(variant, Mode.ADVERSARIAL, 10).runs().keySet())
                            .as("%s with cache %s", variant, cached)
                            .isEqualTo(Litmus.outcomes(variant));
                }
            }
        }
    }

    /// A read of what was written, after the response: right on a channel, and not on VA.
    @Test
    @Requirement("CCIP-GUI-1c")
    void dataDependenceNeedsAChannelOfItsOwn() {
        for (Variant variant : Variant.of(scenario("LIT-10"), Profile.INTEGRATED)) {
            assertThat(Litmus.outcomes(variant)).containsExactly("a=1");
        }
        for (Variant variant : Variant.of(scenario("LIT-30"), Profile.INTEGRATED)) {
            assertThat(Litmus.outcomes(variant)).containsExactlyInAnyOrder("a=0", "a=1");
        }
    }

    @Test
    @Requirement("CCIP-ORM-22")
    void allOutcomesOfTwoUnorderedWritesAreFound() {
        Variant variant = Variant.of(scenario("LIT-2"), Profile.PAC_A10).getFirst();
        assertThat(Litmus.outcomes(variant))
                .containsExactlyInAnyOrder(
                        "a=0 b=0 X=1",
                        "a=0 b=0 X=2",
                        "a=0 b=1 X=1",
                        "a=0 b=1 X=2",
                        "a=0 b=2 X=1",
                        "a=0 b=2 X=2",
                        "a=1 b=1 X=1",
                        "a=1 b=1 X=2",
                        "a=1 b=2 X=2",
                        "a=2 b=1 X=1",
                        "a=2 b=2 X=1",
                        "a=2 b=2 X=2");
    }

    @Test
    void theTableHasALineForEachVariantAndSaysWhetherAllIsWell() {
        List<String> lines = new ArrayList<>();
        List<Variant> variants = Variant.of(scenario("LIT-10"), Profile.PAC_A10);
        assertThat(Litmus.table(variants, 1, true, lines::add)).isTrue();
        assertThat(lines)
                .containsExactly(
                        LitmusResult.HEADING,
                        "",
                        "LIT-10: a read of the channel after the response to the write",
                        "  AFU  W[c] X=1; wait; a=R[c] X",
                        "LIT-10    PAC_A10    c=VA                   ok        1 of 1       40   "
                                + "allowed a=1: 40; forbidden a=0: 0",
                        "      40  a=1",
                        "LIT-10    PAC_A10    c=VH0                  ok        1 of 1       40   "
                                + "allowed a=1: 40; forbidden a=0: 0",
                        "      40  a=1",
                        "All 2 variants had every allowed outcome and no forbidden one.");
    }

    @Test
    void theTableEndsWithWhatIsNotAsItHasToBe() {
        Scenario impossible =
                ScenarioReader.read("T-1\nAFU W[c] X=1; wait; a=R[c] X\nforbidden a=1").getFirst();
        List<String> lines = new ArrayList<>();
        List<Variant> variants = Variant.of(impossible, Profile.INTEGRATED);
        assertThat(Litmus.table(variants, 1, false, lines::add)).isFalse();
        assertThat(lines)
                .contains(
                        "T-1 INTEGRATED c=VL0: a=1 is forbidden and occurred in mode ADVERSARIAL,"
                                + " first with seed 1");
    }

    @Test
    void theSameSeedsHaveTheSameOutcomes() {
        Variant variant = Variant.of(scenario("LIT-2"), Profile.INTEGRATED).getFirst();
        assertThat(Litmus.run(variant, Mode.ADVERSARIAL, 2))
                .isEqualTo(Litmus.run(variant, Mode.ADVERSARIAL, 2));
    }

    @Test
    void aResultNamesWhatIsNotAsItHasToBe() {
        Variant variant = Variant.of(scenario("LIT-10"), Profile.PAC_A10).getFirst();
        LitmusResult result =
                Litmus.run(variant, Mode.ADVERSARIAL, 1).with(Set.of("a=0", "a=torn"));
        assertThat(result.failures())
                .containsExactlyInAnyOrder(
                        "a=1 cannot be and occurred in mode ADVERSARIAL, first with seed 1",
                        "a=0 is forbidden and can be",
                        "a=torn is forbidden and can be",
                        "allowed a=1 cannot be");
        assertThat(result.toString()).contains("LIT-10", "PAC_A10", "c=VA", "FAILED", "1 of 2");
    }
}
