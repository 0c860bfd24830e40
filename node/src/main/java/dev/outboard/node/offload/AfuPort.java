package dev.outboard.node.offload;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.host.Fpga;
import dev.outboard.ccip.host.Simulation;
import dev.outboard.ccip.platform.PageSize;
import dev.outboard.ccip.rtl.VerilatedAfu;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/// A port of an FPGA with a function behind it, open. One thread at a time uses it.
public final class AfuPort implements AutoCloseable {
    private final long seed;
    private AfuFunction function;
    private Afu afu;
    private Simulation simulation;
    private Fpga fpga;
    private final List<MemorySegment> mapped = new ArrayList<>();

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

    /// Maps pages of 4096 bytes, for the function that is behind the port, and whichever comes
    /// there.
    ///
    /// @param pages as many as are wanted, in one piece
    /// @return the line address of the first one
    public long map(MemorySegment pages) {
        mapped.add(pages);
        return mapNow(pages);
    }

    private long mapNow(MemorySegment pages) {
        return fpga.prepareBuffer(PageSize.KIB_4, pages).lineAddress();
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
        // A new platform gives them the same addresses, in the same order.
        mapped.forEach(this::mapNow);
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
