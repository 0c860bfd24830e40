package dev.outboard.node.offload;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.afu.CallRegisters;
import dev.outboard.ccip.afu.Job;
import dev.outboard.ccip.checker.ViolationException;
import dev.outboard.ccip.host.Buffer;
import dev.outboard.ccip.host.Fpga;
import dev.outboard.ccip.host.FpgaException;
import dev.outboard.ccip.host.Simulation;
import dev.outboard.ccip.platform.PageSize;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.naa.ReturnCode;
import dev.outboard.naa.server.RoutineException;
import dev.outboard.naa.server.RoutineRegion;
import dev.outboard.naa.server.RpcContext;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/// A routine that is a function of an FPGA, behind a CCI-P port of its own, called by
/// [CallRegisters]. The function reads and writes the regions where they are, if they have pages of
/// their own, else copies.
///
/// The FPGA's clock runs while an RPC does, on the thread of that RPC; RPCs take turns. A function
/// that violates its protocol, hangs, or is still at it when the time is over, is reset.
public final class AfuRoutine implements OffloadedRoutine {
    /// How many cycles pass between two looks at the status.
    private static final long CYCLES_PER_LOOK = 1000;

    private final Supplier<? extends Afu> functions;
    private final UUID afuId;
    private final ReentrantLock port = new ReentrantLock(true);
    private Simulation simulation;
    private Fpga fpga;

    /// Of simulations that were given up.
    private long earlierCycles;

    private AfuRoutine(Supplier<? extends Afu> functions, UUID afuId) {
        this.functions = functions;
        this.afuId = afuId;
        simulation = Simulation.of(Profile.PAC_A10, functions.get()).build();
        fpga = Fpga.open(simulation, afuId);
    }

    /// Puts a function behind a port.
    ///
    /// @param functions makes it, and another one in the place of one that a reset does not help
    /// @param afuId by which it is found there
    /// @throws FpgaException if it does not answer, or is another one
    public static AfuRoutine of(Supplier<? extends Afu> functions, UUID afuId) {
        return new AfuRoutine(functions, afuId);
    }

    /// How many cycles the clock has run.
    public long cycles() {
        port.lock();
        try {
            return earlierCycles + simulation.cycle();
        } finally {
            port.unlock();
        }
    }

    @Override
    public int run(RpcContext rpc) throws RoutineException, InterruptedException {
        if (!port.tryLock(rpc.remaining().toNanos(), TimeUnit.NANOSECONDS)) {
            throw TargetError.BUSY.because("the function of the FPGA computes for others");
        }
        List<Shared> regions = new ArrayList<>();
        boolean ended = false;
        try {
            rpc.parameters().forEach(region -> regions.add(new Shared(region)));
            int code = call(rpc, regions);
            ended = true;
            regions.forEach(Shared::copyBack);
            return code;
        } catch (FpgaException | ViolationException e) {
            throw TargetError.FAILED.because("the function of the FPGA: " + e.getMessage());
        } catch (IllegalStateException memoryIsGone) {
            replace();
            throw TargetError.FAILED.because(
                    "the client of the function of the FPGA has taken its memory away: "
                            + memoryIsGone.getMessage());
        } finally {
            if (!ended) {
                reset();
            }
            regions.forEach(Shared::close);
            port.unlock();
        }
    }

    /// A function that does not come back from a reset is replaced.
    private void reset() {
        try {
            fpga.clearErrors();
            fpga.reset();
        } catch (RuntimeException stillBroken) {
            replace();
        }
    }

    /// The simulation may be in the middle of a cycle.
    private void replace() {
        earlierCycles += simulation.cycle();
        simulation = Simulation.of(Profile.PAC_A10, functions.get()).build();
        fpga = Fpga.open(simulation, afuId);
    }

    private int call(RpcContext rpc, List<Shared> regions) throws RoutineException {
        long user = rpc.userByte(0) | rpc.userByte(1) << 8 | rpc.userByte(2) << 16;
        fpga.writeMmio64(CallRegisters.CALL, rpc.functionCode() | user << 8);
        fpga.writeMmio64(CallRegisters.REGIONS, regions.size());
        for (int i = 0; i < regions.size(); i++) {
            fpga.writeMmio64(CallRegisters.address(i), regions.get(i).lineAddress());
            fpga.writeMmio64(CallRegisters.length(i), regions.get(i).region.size());
        }
        fpga.writeMmio64(CallRegisters.CONTROL, Job.START);
        long status = 0;
        while ((status & Job.DONE) == 0) {
            rpc.throwIfCancelled();
            fpga.step(CYCLES_PER_LOOK);
            status = fpga.readMmio64(CallRegisters.STATUS);
        }
        return checked((int) (status >>> Job.CODE_SHIFT) & 0xFF);
    }

    private static int checked(int code) throws RoutineException {
        if (code > ReturnCode.LAST_APPLICATION) {
            throw TargetError.FAILED.because(
                    "the function of the FPGA returned 0x%02x; valid: 0x00 to 0x7f"
                            .formatted(code));
        }
        return code;
    }

    @Override
    public void close() {
        fpga.close();
    }

    /// A region that the function reaches.
    private final class Shared {
        private final RoutineRegion region;
        private final Optional<Buffer> mapped;
        private final Optional<Buffer> copy;

        private Shared(RoutineRegion region) {
            this.region = region;
            mapped = region.pages().map(pages -> fpga.prepareBuffer(PageSize.KIB_4, pages));
            copy = mapped.isPresent() || region.size() == 0 ? Optional.empty() : copied();
        }

        private Optional<Buffer> copied() {
            Buffer made = fpga.prepareBuffer(region.size());
            made.segment().copyFrom(region.memory());
            return Optional.of(made);
        }

        private long lineAddress() {
            return mapped.or(() -> copy).map(Buffer::lineAddress).orElse(0L);
        }

        private void copyBack() {
            copy.ifPresent(from ->
                    MemorySegment.copy(from.segment(), 0, region.memory(), 0, region.size()));
        }

        private void close() {
            mapped.or(() -> copy).ifPresent(Buffer::close);
        }
    }
}
