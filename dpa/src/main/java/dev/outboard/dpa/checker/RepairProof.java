package dev.outboard.dpa.checker;

import dev.outboard.dpa.litmus.Explorer;
import dev.outboard.dpa.litmus.LitmusProgram;
import dev.outboard.dpa.litmus.Outcome;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Profile;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// What the explorer says of a repair: that it adds no outcome, which ones are gone, and whether
/// any is left that no sequentially consistent run has.
final class RepairProof {
    private static final int CONSISTENT_RUNS = 400;

    private final LitmusProgram program;
    private final List<Profile> profiles;
    private final Map<Profile, Set<Outcome>> before = new EnumMap<>(Profile.class);

    /// A fence on which SEED relies does nothing in PARANOID, so that SEED is proven in both.
    RepairProof(LitmusProgram program, Profile profile) {
        this.program = program;
        profiles =
                profile == Profile.SEED
                        ? List.of(Profile.SEED, Profile.PARANOID)
                        : List.of(profile);
    }

    private static Optional<Set<Outcome>> outcomes(LitmusProgram program, Profile profile) {
        try {
            return Optional.of(Explorer.explore(program, profile).outcomes());
        } catch (IllegalArgumentException tooLarge) {
            return Optional.empty();
        }
    }

    private Optional<Set<Outcome>> original(Profile profile) {
        if (!before.containsKey(profile)) {
            outcomes(program, profile).ifPresent(found -> before.put(profile, found));
        }
        return Optional.ofNullable(before.get(profile));
    }

    /// Whether no outcome is possible that was not; a program that is too large gets the benefit of
    /// the doubt, which [#of] tells.
    boolean addsNothing(LitmusProgram repaired) {
        for (Profile profile : profiles) {
            Optional<Set<Outcome>> was = original(profile);
            Optional<Set<Outcome>> is =
                    was.isEmpty() ? Optional.empty() : outcomes(repaired, profile);
            if (is.isPresent() && !was.orElseThrow().containsAll(is.get())) {
                return false;
            }
        }
        return true;
    }

    /// Whether an outcome is gone that was possible. A move that changes none mends nothing that
    /// anybody sees; a program that is too large gets the benefit of the doubt.
    boolean removesAny(LitmusProgram repaired) {
        boolean known = false;
        for (Profile profile : profiles) {
            Optional<Set<Outcome>> was = original(profile);
            Optional<Set<Outcome>> is =
                    was.isEmpty() ? Optional.empty() : outcomes(repaired, profile);
            if (is.isPresent()) {
                known = true;
                if (!is.get().containsAll(was.orElseThrow())) {
                    return true;
                }
            }
        }
        return !known;
    }

    /// The proof in words.
    String of(LitmusProgram repaired, int runs) {
        List<String> parts = new ArrayList<>();
        boolean consistentOnly = true;
        for (Profile profile : profiles) {
            Optional<Set<Outcome>> was = original(profile);
            Optional<Set<Outcome>> is =
                    was.isEmpty() ? Optional.empty() : outcomes(repaired, profile);
            if (is.isEmpty()) {
                return "Nothing is found any more in %d runs; too large for a proof by EXPLORE."
                        .formatted(runs);
            }
            Set<Outcome> gone = new TreeSet<>(was.orElseThrow());
            gone.removeAll(is.get());
            parts.add("%s: %s".formatted(profile, gone.isEmpty() ? "none" : gone));
            consistentOnly &= consistent(repaired).containsAll(is.get());
        }
        String rest =
                consistentOnly
                        ? "what is left is sequentially consistent"
                        : "other outcomes of unordered accesses are left";
        return "Proven by EXPLORE: no outcome is added; gone are %s; %s."
                .formatted(String.join(", ", parts), rest);
    }

    private static Set<Outcome> consistent(LitmusProgram repaired) {
        LitmusSites sites = new LitmusSites(repaired, "");
        Set<Outcome> outcomes = new TreeSet<>();
        for (long seed = 1; seed <= CONSISTENT_RUNS; seed++) {
            outcomes.add(new LitmusRun(repaired, sites, Observer.NONE, seed).run());
        }
        return outcomes;
    }
}
