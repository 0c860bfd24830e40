package dev.outboard.ccip.trace;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.afu.example.JobRegisters;
import dev.outboard.ccip.afu.example.MemoryCopy;
import dev.outboard.ccip.checker.Monitor;
import dev.outboard.ccip.host.Buffer;
import dev.outboard.ccip.host.Fpga;
import dev.outboard.ccip.host.Simulation;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import java.lang.foreign.ValueLayout;
import java.util.function.Function;

/// A run in which everything happens: registers, reads and writes of up to four lines, quiet time.
record CopyRun(Profile profile, Mode mode, long seed, boolean steps) {
    static final int LINES = 75;

    static CopyRun of(Mode mode) {
        return new CopyRun(Profile.INTEGRATED, mode, 7, false);
    }

    CopyRun withSeed(long other) {
        return new CopyRun(profile, mode, other, steps);
    }

    /// The same with no cycle skipped.
    CopyRun stepping() {
        return new CopyRun(profile, mode, seed, true);
    }

    /// What a log says of the run.
    String log() {
        StringBuilder text = new StringBuilder();
        run(simulation -> TransactionLog.to(text));
        return text.toString();
    }

    /// Runs it with a monitor, and returns the cycles it took.
    long run(Function<Simulation, Monitor> monitor) {
        MemoryCopy copy = new MemoryCopy();
        Afu afu = steps ? (rx, tx) -> copy.clock(rx, tx) : copy;
        Simulation simulation = Simulation.of(profile, afu).mode(mode).seed(seed).build();
        simulation.monitor(monitor.apply(simulation));
        try (Fpga fpga = Fpga.open(simulation, MemoryCopy.AFU_ID)) {
            Buffer source = fpga.prepareBuffer(LINES * 64L);
            Buffer target = fpga.prepareBuffer(LINES * 64L);
            for (int i = 0; i < LINES * 8; i++) {
                source.segment().setAtIndex(ValueLayout.JAVA_LONG, i, i * 0x1234_5678_9ABCL);
            }
            fpga.step(1000);
            fpga.writeMmio64(JobRegisters.SOURCE, source.lineAddress());
            fpga.writeMmio64(JobRegisters.DESTINATION, target.lineAddress());
            fpga.writeMmio64(JobRegisters.LINES, LINES);
            fpga.writeMmio64(JobRegisters.CONTROL, JobRegisters.START);
            while (fpga.readMmio64(JobRegisters.STATUS) != JobRegisters.DONE) {
                fpga.step(10);
            }
            fpga.step(500);
        }
        return simulation.cycle();
    }
}
