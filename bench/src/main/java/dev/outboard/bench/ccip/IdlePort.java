package dev.outboard.bench.ccip;

import dev.outboard.bench.comparison.Ours;
import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.host.Simulation;
import dev.outboard.ccip.platform.Profile;

/// An AFU that nobody asks for anything.
final class IdlePort implements Ours.Subject {
    private static final int STEP = 1_000_000;

    private final Simulation simulation;

    IdlePort(Afu afu) {
        simulation = Simulation.of(Profile.PAC_A10, afu).build();
    }

    @Override
    public double run(long nanos) {
        long start = System.nanoTime();
        long first = simulation.cycle();
        while (System.nanoTime() - start < nanos) {
            simulation.step(STEP);
        }
        return (simulation.cycle() - first) * 1e9 / (System.nanoTime() - start);
    }

    @Override
    public void close() {}
}
