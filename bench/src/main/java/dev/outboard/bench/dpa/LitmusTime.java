package dev.outboard.bench.dpa;

import dev.outboard.bench.comparison.Ours;
import dev.outboard.bench.comparison.RoundTripTimes;
import dev.outboard.dpa.litmus.Explorer;
import dev.outboard.dpa.litmus.LitmusTest;
import dev.outboard.dpa.litmus.Variant;
import dev.outboard.dpa.machine.Profile;
import java.util.List;

/// How long litmus tests take.
record LitmusTime(List<LitmusTest> tests) implements Ours.Subject {
    /// How many states a test has, all variants in all profiles together.
    static long states(LitmusTest test) {
        long states = 0;
        for (Variant variant : test.variants()) {
            for (Profile profile : Profile.values()) {
                states += Explorer.explore(variant.program(), profile).states();
            }
        }
        return states;
    }

    @Override
    public double run(long nanos) {
        return new RoundTripTimes().median(nanos, () -> tests.forEach(LitmusTime::states));
    }

    @Override
    public void close() {}
}
