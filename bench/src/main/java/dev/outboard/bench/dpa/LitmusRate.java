package dev.outboard.bench.dpa;

import dev.outboard.bench.comparison.Ours;
import dev.outboard.bench.comparison.RoundTripTimes;
import dev.outboard.dpa.litmus.Explorer;
import dev.outboard.dpa.litmus.Variant;
import dev.outboard.dpa.machine.Profile;

/// States per second of a litmus program, explored from its beginning again and again.
record LitmusRate(Variant variant) implements Ours.Subject {
    @Override
    public double run(long nanos) {
        long states = explore();
        return states * 1e9 / new RoundTripTimes().median(nanos, this::explore);
    }

    private long explore() {
        return Explorer.explore(variant.program(), Profile.SEED).states();
    }

    @Override
    public void close() {}
}
