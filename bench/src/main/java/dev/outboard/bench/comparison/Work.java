package dev.outboard.bench.comparison;

import java.util.List;
import java.util.function.Predicate;

/// The same work for several contenders, the first of which is ours.
///
/// @param name how the command line calls it; what stands before a slash names several works
/// @param title what is done
/// @param unit what the results mean
/// @param inTurns whether the contenders take turns; otherwise one has had all its rounds, and is
///   closed, before the next one begins
public record Work(
        String name, String title, Unit unit, List<Contender> contenders, boolean inTurns) {
    /// What the results of a work mean.
    public enum Unit {
        /// Nanoseconds per round trip: less is better.
        TIME,
        /// Bytes per second: more is better.
        BANDWIDTH,
        /// Messages per second: more is better.
        MESSAGES,
        /// Simulated cycles per second: more is better.
        CYCLES,
        /// What the title counts, per second: more is better.
        RATE
    }

    /// A work whose contenders take turns.
    public Work(String name, String title, Unit unit, List<Contender> contenders) {
        this(name, title, unit, contenders, true);
    }

    /// Whether the command line means this work by `word`.
    boolean isMeantBy(String word) {
        return name.equals(word) || name.startsWith(word + "/");
    }

    /// The same work without the contenders that `unwanted` names.
    public Work without(Predicate<Contender> unwanted) {
        return new Work(
                name, title, unit, contenders.stream().filter(unwanted.negate()).toList(), inTurns);
    }
}
