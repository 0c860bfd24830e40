package dev.outboard.dpa.litmus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.machine.Profile;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ExplorerTest {
    static List<Arguments> variants() {
        List<Arguments> all = new ArrayList<>();
        for (LitmusTest test : LitmusCatalog.all()) {
            for (Variant variant : test.variants()) {
                for (Profile profile : Profile.values()) {
                    if (variant.allowed(profile).isPresent()) {
                        all.add(
                                Arguments.of(
                                        test.name() + variant.name() + " " + profile,
                                        variant,
                                        profile));
                    }
                }
            }
        }
        return all;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("variants")
    @Requirement(
            value = {
                "DPA-LIT-1",
                "DPA-LIT-2",
                "DPA-LIT-3",
                "DPA-LIT-4",
                "DPA-LIT-5",
                "DPA-LIT-6",
                "DPA-LIT-7",
                "DPA-LIT-8",
                "DPA-LIT-9",
                "DPA-LIT-10",
                "DPA-LIT-11",
                "DPA-LIT-12",
                "DPA-LIT-13",
                "DPA-LIT-14",
                "DPA-LIT-15",
                "DPA-LIT-16",
                "DPA-LIT-17",
                "DPA-LIT-18",
                "DPA-LIT-19",
                "DPA-LIT-20",
                "DPA-LIT-21",
                "DPA-LIT-22",
                "DPA-LIT-23",
                "DPA-LIT-24",
                "DPA-LIT-25",
                "DPA-LIT-26",
                "DPA-LIT-27",
                "DPA-LIT-28",
                "DPA-LIT-29",
                "DPA-LIT-30",
                "DPA-LIT-31",
                "DPA-LIT-32",
                "DPA-LIT-33",
                "DPA-LIT-34",
                "DPA-LIT-35",
                "DPA-LIT-36",
                "DPA-LIT-37",
                "DPA-LIT-38",
                "DPA-LIT-40",
                "DPA-LIT-53"
            },
            table = true)
    void findsExactlyTheOutcomesOfTheCatalog(String name, Variant variant, Profile profile) {
        for (boolean reduced : new boolean[] {true, false}) {
            assertThat(Explorer.explore(variant.program(), profile, reduced).outcomes())
                    .as("reduced: " + reduced)
                    .containsExactlyInAnyOrderElementsOf(variant.allowed(profile).orElseThrow());
        }
    }

    @Test
    void coversAllProfilesOfAllVariants() {
        assertThat(variants()).hasSize(5 * 107);
    }

    /// The largest of the catalog has a few hundred states.
    @Test
    @Requirement("DPA-OPM-16")
    void needsFewStatesForEachTestOfTheCatalog() {
        long most = 0;
        for (LitmusTest test : LitmusCatalog.all()) {
            for (Variant variant : test.variants()) {
                most = Math.max(most, states(variant.program(), false));
            }
        }
        LitmusProgram largest = LitmusCatalog.test(20).variant("a").program();
        assertThat(states(largest, false)).isEqualTo(most).isLessThan(1000);
        assertThat(states(largest, true)).isLessThan(most);
    }

    private static long states(LitmusProgram program, boolean reduced) {
        return Explorer.explore(program, Profile.SEED, reduced).states();
    }

    @Test
    void givesUpAProgramWithTooManyStates() {
        LitmusProgram endless = Programs.of("T: spin M[x]==1 {r=r+1}");
        assertThatThrownBy(() -> Explorer.explore(endless, Profile.SEED, true, 1000))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("The program has more than 1000 states: make loops shorter");
    }
}
