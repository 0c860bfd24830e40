package dev.outboard.bench.ccip;

import dev.outboard.bench.comparison.Ours;
import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.afu.example.JobRegisters;
import dev.outboard.ccip.host.Buffer;
import dev.outboard.ccip.host.Fpga;
import dev.outboard.ccip.host.Simulation;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.rtl.VerilatedAfu;
import dev.outboard.ccip.wire.Line;

/// An AFU that copies memory without end.
final class CopyPort implements Ours.Subject {
    /// How many lines a copy has, as in `afu-loop.cpp`.
    static final int LINES = 16_384;

    private static final int STEP = 500;

    private final Afu afu;
    private final Simulation simulation;
    private final Fpga fpga;

    CopyPort(Profile profile, Afu afu) {
        this.afu = afu;
        simulation = Simulation.of(profile, afu).build();
        fpga = Fpga.open(simulation);
        Buffer from = fpga.prepareBuffer(LINES * Line.BYTES);
        Buffer to = fpga.prepareBuffer(LINES * Line.BYTES);
        fpga.writeMmio64(JobRegisters.SOURCE, from.lineAddress());
        fpga.writeMmio64(JobRegisters.DESTINATION, to.lineAddress());
        fpga.writeMmio64(JobRegisters.LINES, LINES);
    }

    @Override
    public double run(long nanos) {
        return CycleRate.measure(nanos, simulation::cycle, this::copy);
    }

    private void copy() {
        fpga.writeMmio64(JobRegisters.CONTROL, JobRegisters.START);
        while (fpga.readMmio64(JobRegisters.STATUS) != JobRegisters.DONE) {
            simulation.step(STEP);
        }
    }

    @Override
    public void close() {
        fpga.close();
        if (afu instanceof VerilatedAfu verilated) {
            verilated.close();
        }
    }
}
