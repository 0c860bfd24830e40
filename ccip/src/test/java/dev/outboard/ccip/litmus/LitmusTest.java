package dev.outboard.ccip.litmus;

import static dev.outboard.ccip.litmus.ScenarioTest.scenario;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LitmusTest {
    private static final List<Profile> PLATFORMS = List.of(Profile.PAC_A10, Profile.INTEGRATED);

    static Stream<Variant> variants() {
        return PLATFORMS.stream()
                .flatMap(profile ->
                        Scenario.all().stream()
                                .flatMap(scenario -> Variant.of(scenario, profile).stream()));
    }

    /// One variant of each scenario on each platform.
    static Stream<Variant> firstVariants() {
        return PLATFORMS.stream()
                .flatMap(profile ->
                        Scenario.all().stream()
                                .flatMap(scenario ->
                                        Variant.of(scenario, profile).stream().limit(1)));
    }

    @ParameterizedTest
    @MethodSource("variants")
    @Requirement({
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
        "CCIP-ORM-22",
        "CCIP-MCL-14",
        "CCIP-MOD-6",
        "CCIP-INT-6",
        "CCIP-VC-8"
    })
    void adversarialRunsHaveEveryAllowedOutcomeAndNoneThatCannotBe(Variant variant) {
        LitmusResult result =
                Litmus.run(variant, Mode.ADVERSARIAL, 1).with(Litmus.outcomes(variant));
        assertThat(result.failures()).as("%s", result).isEmpty();
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
