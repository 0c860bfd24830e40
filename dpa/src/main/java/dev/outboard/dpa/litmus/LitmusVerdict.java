package dev.outboard.dpa.litmus;

import dev.outboard.dpa.machine.Profile;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What EXPLORE found for one variant of a litmus test in one profile, and what was expected.
///
/// @param outcomes all that it can end with, in the order of their texts
/// @param states how many different states it has
/// @param expected what it should be able to end with, if the test says so
public record LitmusVerdict(
        Variant variant,
        Profile profile,
        Set<Outcome> outcomes,
        long states,
        Optional<Set<Outcome>> expected) {
    /// Explores a variant.
    ///
    /// @throws IllegalArgumentException if it has more than [Explorer#MOST_STATES] states
    public static LitmusVerdict of(Variant variant, Profile profile) {
        Explorer.Result result = Explorer.explore(variant.program(), profile);
        return new LitmusVerdict(
                variant, profile, result.outcomes(), result.states(), variant.allowed(profile));
    }

    /// Whether the outcomes are those that are expected, no more and no less; also if nothing is.
    public boolean passes() {
        return unexpected().isEmpty() && missing().isEmpty();
    }

    /// The outcomes that are not expected.
    public List<Outcome> unexpected() {
        return expected.map(allowed -> difference(outcomes, allowed)).orElse(List.of());
    }

    /// The expected outcomes that do not come up.
    public List<Outcome> missing() {
        return expected.map(allowed -> difference(allowed, outcomes)).orElse(List.of());
    }

    private static List<Outcome> difference(Set<Outcome> all, Set<Outcome> without) {
        Set<Outcome> rest = new LinkedHashSet<>(all);
        rest.removeAll(without);
        return rest.stream().sorted().toList();
    }
}
