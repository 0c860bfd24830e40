package dev.outboard.fabric.sim;

import java.util.Arrays;
import java.util.Locale;

/// How time passes on a simulated network.
enum SimClock {
    /// While somebody polls or waits, and no longer than it takes until something happens.
    VIRTUAL,
    /// As on the wall.
    REAL,
    /// When [SimNetwork] is told.
    STEPPED;

    static SimClock of(String name) {
        for (SimClock clock : values()) {
            if (clock.toString().equals(name)) {
                return clock;
            }
        }
        throw new IllegalArgumentException("expected one of " + Arrays.toString(values()));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
