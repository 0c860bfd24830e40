package dev.outboard.bench.fabric;

import java.util.List;

/// The same work for several contenders, the first of which is ours.
///
/// @param name how the command line calls it
/// @param title what is done
/// @param unit what the results mean
record Work(String name, String title, Unit unit, List<Contender> contenders) {
    /// What the results of a work mean.
    enum Unit {
        /// Nanoseconds per round trip: less is better.
        TIME,
        /// Bytes per second: more is better.
        BANDWIDTH,
        /// Messages per second: more is better.
        MESSAGES
    }
}
