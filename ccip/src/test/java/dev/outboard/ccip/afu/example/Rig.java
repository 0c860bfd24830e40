package dev.outboard.ccip.afu.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.checker.Severity;
import dev.outboard.ccip.host.Buffer;
import dev.outboard.ccip.host.Fpga;
import dev.outboard.ccip.host.Simulation;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.Line;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/// An example on a platform, opened as its software opens it. Closing it proves that nothing was
/// wrong at the port.
final class Rig implements AutoCloseable {
    /// No wait of a test takes more cycles.
    static final long LIMIT = 1_000_000;

    final Simulation simulation;
    final Fpga fpga;

    Rig(Profile profile, Mode mode, long seed, Afu afu, UUID afuId) {
        simulation = Simulation.of(profile, afu).mode(mode).seed(seed).build();
        fpga = Fpga.open(simulation, afuId);
    }

    /// A buffer of this many lines with bytes from a seed.
    Buffer buffer(long lines, long seed) {
        Buffer buffer = fpga.prepareBuffer(lines * Line.BYTES);
        byte[] bytes = new byte[(int) buffer.segment().byteSize()];
        new SplittableRandom(seed).nextBytes(bytes);
        buffer.segment().copyFrom(MemorySegment.ofArray(bytes));
        return buffer;
    }

    void write(int offset, long value) {
        fpga.writeMmio64(offset, value);
    }

    long read(int offset) {
        return fpga.readMmio64(offset);
    }

    void setLines(long source, long destination, long lines) {
        write(JobRegisters.SOURCE, source);
        write(JobRegisters.DESTINATION, destination);
        write(JobRegisters.LINES, lines);
    }

    void start() {
        write(JobRegisters.CONTROL, JobRegisters.START);
    }

    /// Starts the job and waits for its end.
    void run() {
        start();
        awaitDone();
    }

    boolean isDone() {
        return (read(JobRegisters.STATUS) & JobRegisters.DONE) != 0;
    }

    /// Reads the status until the job is done, seldom enough to leave Rx C0 to the AFU.
    void awaitDone() {
        long end = simulation.cycle() + LIMIT;
        while (!isDone()) {
            fpga.step(50);
            assertThat(simulation.cycle()).as("cycles until the job is done").isLessThan(end);
        }
    }

    void settle() {
        await(simulation::isIdle);
    }

    /// Waits until a condition holds on what software can see without asking the AFU.
    void await(BooleanSupplier condition) {
        fpga.waitUntil(condition, LIMIT);
    }

    @Override
    public void close() {
        settle();
        simulation.checker().finish(simulation.cycle());
        assertThat(simulation.checker().reports())
                .filteredOn(report -> report.severity().compareTo(Severity.WARNING) >= 0)
                .isEmpty();
        fpga.close();
    }
}
