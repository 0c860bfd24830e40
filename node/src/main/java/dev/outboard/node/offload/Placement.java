package dev.outboard.node.offload;

import java.util.Optional;

/// Where a routine runs.
///
/// @param target where it runs
/// @param second where it runs if `target` cannot be opened, fails or is busy; another one
public record Placement(Target target, Optional<Target> second) {
    /// Refuses a second target that is the first.
    public Placement {
        if (second.equals(Optional.of(target))) {
            throw new IllegalArgumentException(
                    "the second target is '%s', like the first; valid: another one"
                            .formatted(target.word()));
        }
    }

    /// On one target only.
    public static Placement on(Target target) {
        return new Placement(target, Optional.empty());
    }

    /// The same with a second target.
    public Placement orElse(Target other) {
        return new Placement(target, Optional.of(other));
    }
}
