package dev.outboard.bench.ccip;

import dev.outboard.bench.comparison.Ours;
import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.afu.example.JobRegisters;
import dev.outboard.ccip.host.Buffer;
import dev.outboard.ccip.host.Fpga;
import dev.outboard.ccip.host.Simulation;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.rtl.VerilatedAfu;

/// An AFU that copies memory without end.
final class CopyPort implements Ours.Subject {
    private static final int LINES = 16_384;
    private static final int LINE_BYTES = 64;
    private static final int STEP = 500;

    private final Afu afu;
    private final Simulation simulation;
    private final Fpga fpga;

    CopyPort(Profile profile, Afu afu) {
        this.afu = afu;
        simulation = Simulation.of(profile, afu).build();
        fpga = Fpga.open(simulation);
        Buffer from = fpga.prepareBuffer(LINES * LINE_BYTES);
        Buffer to = fpga.prepareBuffer(LINES * LINE_BYTES);
        fpga.writeMmio64(JobRegisters.SOURCE, from.lineAddress());
        fpga.writeMmio64(JobRegisters.DESTINATION, to.lineAddress());
        fpga.writeMmio64(JobRegisters.LINES, LINES);
    }

    @Override
    public double run(long nanos) {
        long start = System.nanoTime();
        long first = simulation.cycle();
        while (System.nanoTime() - start < nanos) {
            fpga.writeMmio64(JobRegisters.CONTROL, 1);
            while (fpga.readMmio64(JobRegisters.STATUS) != 1) {
                simulation.step(STEP);
            }
        }
        return (simulation.cycle() - first) * 1e9 / (System.nanoTime() - start);
    }

    @Override
    public void close() {
        fpga.close();
        if (afu instanceof VerilatedAfu verilated) {
            verilated.close();
        }
    }
}
