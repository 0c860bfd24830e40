package dev.outboard.dpa.machine;

import java.util.Set;
import java.util.TreeSet;

/// What EXPLORE has found.
///
/// @param outcomes what the program said of each way in which it can end
/// @param states how many different states it can come to
/// @param steps how many steps lie between them
public record Explored(Set<String> outcomes, long states, long steps) {

    /// Copies the set, sorted.
    public Explored {
        outcomes = new TreeSet<>(outcomes);
    }
}
