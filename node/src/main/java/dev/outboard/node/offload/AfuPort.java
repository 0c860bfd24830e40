package dev.outboard.node.offload;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.host.Fpga;
import dev.outboard.ccip.host.Simulation;
import dev.outboard.ccip.rtl.VerilatedAfu;

/// A port of an FPGA with a function behind it, open. One thread at a time uses it.
public final class AfuPort implements AutoCloseable {
    private final long seed;
    private AfuFunction function;
    private Afu afu;
    private Simulation simulation;
    private Fpga fpga;

    /// Of simulations that were given up.
    private long earlierCycles;

    /// Opens one.
    ///
    /// @throws RuntimeException if the function does not answer, is another one, or cannot be
    ///   loaded
    public AfuPort(AfuFunction function) {
        this(function, 0);
    }

    /// The same with a seed of what the platform leaves to chance.
    public AfuPort(AfuFunction function, long seed) {
        this.function = function;
        this.seed = seed;
        afu = function.behindAPort().get();
        simulation = Simulation.of(AfuFunction.PLATFORM, afu).seed(seed).build();
        try {
            fpga = Fpga.open(simulation, function.id());
        } catch (RuntimeException e) {
            close(afu);
            throw e;
        }
    }

    /// What software has of the function.
    public Fpga fpga() {
        return fpga;
    }

    /// How many cycles the clock has run.
    public long cycles() {
        return earlierCycles + simulation.cycle();
    }

    /// Resets the function. One that does not come back from that is replaced.
    public void reset() {
        try {
            fpga.clearErrors();
            fpga.reset();
        } catch (RuntimeException stillBroken) {
            replace();
        }
    }

    /// Begins anew with the same function: the simulation may be in the middle of a cycle.
    public void replace() {
        close(afu);
        earlierCycles += simulation.cycle();
        afu = function.behindAPort().get();
        simulation = Simulation.of(AfuFunction.PLATFORM, afu).seed(seed).build();
        fpga = Fpga.open(simulation, function.id());
    }

    /// Puts another function behind the port. If it cannot be opened, the present one begins anew.
    ///
    /// @throws RuntimeException if the other does not answer, has another AFU_ID than it should, or
    ///   cannot be loaded
    public void reconfigure(AfuFunction other) {
        Afu next = other.behindAPort().get();
        try {
            fpga.reconfigure(next);
            if (!fpga.afuId().equals(other.id())) {
                throw new IllegalArgumentException(
                        "the function has AFU_ID %s, not %s".formatted(fpga.afuId(), other.id()));
            }
        } catch (RuntimeException e) {
            close(next);
            replace();
            throw e;
        }
        close(afu);
        afu = next;
        function = other;
    }

    @Override
    public void close() {
        fpga.close();
        close(afu);
    }

    /// One in SystemVerilog is in native memory.
    private static void close(Afu afu) {
        if (afu instanceof VerilatedAfu verilated) {
            verilated.close();
        }
    }
}
