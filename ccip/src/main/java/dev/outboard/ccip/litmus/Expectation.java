package dev.outboard.ccip.litmus;

import dev.outboard.ccip.platform.MemoryModel;
import dev.outboard.ccip.platform.Profile;
import java.util.List;
import java.util.Set;

/// An outcome, or part of one, that a scenario has to have or must not have.
///
/// @param allowed whether it has to occur, else it must not
/// @param links on which platforms
/// @param models by which memory models
/// @param values as in an outcome: `name=value` each
public record Expectation(
        boolean allowed, Links links, Set<MemoryModel> models, List<String> values) {
    /// Kinds of platforms.
    public enum Links {
        ANY,
        ONE,
        SEVERAL;

        boolean fits(Profile profile) {
            return this == ANY || (this == ONE) == (profile.channels().size() == 1);
        }
    }

    public Expectation {
        models = Set.copyOf(models);
        values = List.copyOf(values);
    }

    /// Whether an outcome has all these values.
    public boolean matches(String outcome) {
        return List.of(outcome.split(" ")).containsAll(values);
    }

    @Override
    public String toString() {
        return (allowed ? "allowed " : "forbidden ") + String.join(" ", values);
    }
}
