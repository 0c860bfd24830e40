package dev.outboard.bench.ccip;

import dev.outboard.bench.comparison.Ours;
import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.host.Simulation;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.rtl.VerilatedAfu;

/// An AFU that nobody asks for anything.
final class IdlePort implements Ours.Subject {
    private static final int STEP = 100_000;

    private final Afu afu;
    private final Simulation simulation;

    IdlePort(Profile profile, Afu afu) {
        this.afu = afu;
        simulation = Simulation.of(profile, afu).build();
    }

    @Override
    public double run(long nanos) {
        return CycleRate.measure(nanos, simulation::cycle, () -> simulation.step(STEP));
    }

    @Override
    public void close() {
        if (afu instanceof VerilatedAfu verilated) {
            verilated.close();
        }
    }
}
