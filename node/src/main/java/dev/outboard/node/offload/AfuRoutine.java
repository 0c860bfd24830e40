package dev.outboard.node.offload;

import dev.outboard.ccip.afu.CallRegisters;
import dev.outboard.ccip.afu.Job;
import dev.outboard.ccip.checker.ViolationException;
import dev.outboard.ccip.host.Buffer;
import dev.outboard.ccip.host.Fpga;
import dev.outboard.ccip.host.FpgaException;
import dev.outboard.ccip.platform.PageSize;
import dev.outboard.ccip.rtl.RtlException;
import dev.outboard.naa.ReturnCode;
import dev.outboard.naa.server.RoutineException;
import dev.outboard.naa.server.RoutineRegion;
import dev.outboard.naa.server.RpcContext;
import dev.outboard.node.watch.NodeTrace;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/// A routine that is a function of an FPGA, behind a CCI-P port of its own, called by
/// [CallRegisters]. The function reads and writes the regions where they are, if they have pages of
/// their own, else copies.
///
/// The FPGA's clock runs while an RPC does, on the thread of that RPC; RPCs take turns, and those
/// of other ports go on beside them. A function that violates its protocol, hangs, or is still at
/// it when the time is over, is reset.
public final class AfuRoutine implements OffloadedRoutine {
    /// How many cycles pass between two looks whether the call has ended.
    private static final long CYCLES_PER_LOOK = 1000;

    private final ReentrantLock turn = new ReentrantLock(true);
    private final AfuPort port;
    private final End end;
    private Optional<AfuCalls> calls = Optional.empty();

    /// How the end of a call is found.
    public enum End {
        /// By reading the status.
        POLLED,
        /// By an interrupt, of a function that offers it; else polled.
        INTERRUPT
    }

    private AfuRoutine(AfuFunction function, End end) {
        port = new AfuPort(function);
        this.end = end;
    }

    /// Puts a function behind a port of its own.
    ///
    /// @throws FpgaException if it does not answer, or has another AFU_ID
    /// @throws RtlException if it cannot be loaded
    public static AfuRoutine of(AfuFunction function) {
        return of(function, End.POLLED);
    }

    /// The same, finding the end of calls in this way.
    public static AfuRoutine of(AfuFunction function, End end) {
        return new AfuRoutine(function, end);
    }

    /// How many cycles the clock has run.
    public long cycles() {
        turn.lock();
        try {
            return port.cycles();
        } finally {
            turn.unlock();
        }
    }

    /// Puts another function behind the port. The call that runs ends before; those that come
    /// meanwhile wait, as they do for each other, and are for the other one. If the other does not
    /// answer, the present one stays.
    ///
    /// @param patience how long calls that are before it may take
    /// @throws IllegalStateException if they take longer
    /// @throws RuntimeException if the other cannot be opened; see [#of(AfuFunction)]
    public void reconfigure(AfuFunction other, Duration patience) throws InterruptedException {
        if (!turn.tryLock(patience.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new IllegalStateException(
                    "the function of the FPGA still computes after %s; reconfigure it later"
                            .formatted(patience));
        }
        try {
            port.reconfigure(other);
        } finally {
            turn.unlock();
        }
    }

    @Override
    public void show(NodeTrace trace) {
        calls = Optional.of(new AfuCalls(trace.trace(), port));
    }

    @Override
    public int run(RpcContext rpc) throws RoutineException, InterruptedException {
        int count = rpc.parameters().size();
        if (count > CallRegisters.MOST_REGIONS) {
            throw new RoutineException(
                    ReturnCode.WRONG_ARGUMENTS,
                    "a function of an FPGA takes 0 to %d regions, not %d"
                            .formatted(CallRegisters.MOST_REGIONS, count));
        }
        if (!turn.tryLock(rpc.remaining().toNanos(), TimeUnit.NANOSECONDS)) {
            throw TargetError.BUSY.because("the function of the FPGA computes for others");
        }
        List<Shared> regions = new ArrayList<>();
        boolean ended = false;
        calls.ifPresent(AfuCalls::begin);
        try {
            rpc.parameters().forEach(region -> regions.add(new Shared(region)));
            int code = call(rpc, regions);
            ended = true;
            regions.forEach(Shared::copyBack);
            return code;
        } catch (FpgaException | ViolationException | RtlException e) {
            throw TargetError.FAILED.because("the function of the FPGA: " + e.getMessage());
        } catch (IllegalStateException memoryIsGone) {
            port.replace();
            throw TargetError.FAILED.because(
                    "the client of the function of the FPGA has taken its memory away: "
                            + memoryIsGone.getMessage());
        } finally {
            tell(rpc, !ended);
            if (!ended) {
                port.reset();
            }
            regions.forEach(Shared::close);
            turn.unlock();
        }
    }

    private void tell(RpcContext rpc, boolean hasFailed) {
        String function = "function " + rpc.functionCode();
        calls.ifPresent(shown -> shown.end(function, hasFailed, rpc.id()));
    }

    private int call(RpcContext rpc, List<Shared> regions) throws RoutineException {
        Fpga fpga = port.fpga();
        long user = rpc.userByte(0) | rpc.userByte(1) << 8 | rpc.userByte(2) << 16;
        fpga.writeMmio64(CallRegisters.CALL, rpc.functionCode() | user << 8);
        fpga.writeMmio64(CallRegisters.REGIONS, regions.size());
        for (int i = 0; i < regions.size(); i++) {
            fpga.writeMmio64(CallRegisters.address(i), regions.get(i).lineAddress());
            fpga.writeMmio64(CallRegisters.length(i), regions.get(i).region.size());
        }
        boolean interrupts =
                end == End.INTERRUPT
                        && (fpga.readMmio64(CallRegisters.OFFERS) & Job.INTERRUPT) != 0;
        if (interrupts) {
            fpga.registerInterrupt(Job.INTERRUPT_ID);
        }
        fpga.writeMmio64(CallRegisters.CONTROL, Job.START | (interrupts ? Job.INTERRUPT : 0));
        long status = 0;
        while ((status & Job.DONE) == 0) {
            rpc.throwIfCancelled();
            fpga.step(CYCLES_PER_LOOK);
            if (!interrupts || fpga.takeInterrupts(Job.INTERRUPT_ID) > 0) {
                status = fpga.readMmio64(CallRegisters.STATUS);
            }
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
        port.close();
    }

    /// A region that the function reaches.
    private final class Shared {
        private final RoutineRegion region;
        private final Optional<Buffer> mapped;
        private final Optional<Buffer> copy;

        private Shared(RoutineRegion region) {
            this.region = region;
            mapped = region.pages().map(pages -> port.fpga().prepareBuffer(PageSize.KIB_4, pages));
            copy = mapped.isPresent() || region.size() == 0 ? Optional.empty() : copied();
        }

        private Optional<Buffer> copied() {
            Buffer made = port.fpga().prepareBuffer(region.size());
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
