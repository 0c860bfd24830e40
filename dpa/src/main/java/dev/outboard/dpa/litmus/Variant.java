package dev.outboard.dpa.litmus;

import dev.outboard.dpa.machine.Profile;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// One program of a [LitmusTest] and what may come of it. Immutable.
///
/// @param name such as `a`; empty if the test has one variant only and does not name it
/// @param listed the outcomes of the profiles that the text lists
public record Variant(
        String name, String title, LitmusProgram program, Map<Profile, Set<Outcome>> listed) {
    /// Keeps its own copy.
    public Variant {
        Map<Profile, Set<Outcome>> copy = new EnumMap<>(Profile.class);
        listed.forEach((profile, outcomes) -> copy.put(profile, Set.copyOf(outcomes)));
        listed = Collections.unmodifiableMap(copy);
    }

    /// All outcomes that the profile allows, no more and no less. A profile that is not listed has
    /// those of SEED, and [Profile#BF3_LINES] those of BF3; COHERENT has to be listed.
    public Optional<Set<Outcome>> allowed(Profile profile) {
        Set<Outcome> outcomes = listed.get(profile);
        if (outcomes != null) {
            return Optional.of(outcomes);
        }
        return switch (profile) {
            case SEED, COHERENT -> Optional.empty();
            case BF3, PARANOID -> allowed(Profile.SEED);
            case BF3_LINES -> allowed(Profile.BF3);
        };
    }
}
