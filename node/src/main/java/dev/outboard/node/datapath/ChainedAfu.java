package dev.outboard.node.datapath;

import dev.outboard.ccip.afu.CallRegisters;
import dev.outboard.ccip.afu.Job;
import dev.outboard.ccip.checker.ViolationException;
import dev.outboard.ccip.host.FpgaException;
import dev.outboard.dpa.flexio.FlexioBuffer;
import dev.outboard.dpa.flexio.FlexioMkey;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.machine.MmioDevice;
import dev.outboard.dpa.nic.Access;
import dev.outboard.dpa.trace.Trace;
import dev.outboard.naa.ReturnCode;
import dev.outboard.naa.RpcId;
import dev.outboard.node.offload.AfuCalls;
import dev.outboard.node.offload.AfuPort;
import dev.outboard.node.offload.TargetError;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// A function of an FPGA that handlers of the DPA drive: its [CallRegisters] are a region of kind
/// MMIO behind their window, and it reaches the regions of the client where they are.
///
/// Its clock runs while a call does: each look at the status lets it run on. A function that
/// violates its protocol, or does not come to an end, is reset, and its call ends with
/// [TargetError#FAILED].
///
/// DPA-FXW-11: stores and loads of registers come here, one at a time.
final class ChainedAfu implements ClientFunction, MmioDevice {
    private static final int REGISTER_BYTES = 4096;

    /// How many cycles pass between two looks at the status.
    private static final long CYCLES_PER_LOOK = 1000;

    private static final long FAILED =
            Job.DONE | ((long) TargetError.FAILED.code() << Job.CODE_SHIFT);

    private static final int LINE_BYTES = 64;

    private final AfuPort port;

    private final Set<Integer> functionCodes;

    /// Where what is mapped begins, by its address.
    private final Map<Long, Long> lines = new HashMap<>();

    private final Duration limit;
    private final LongSupplier nanoTime;
    private final Consumer<String> log;
    private boolean running;
    private boolean failed;
    private long sinceNanos;
    private long calls;
    private @Nullable AfuCalls shown;
    private @Nullable InetSocketAddress client;

    /// @param port of the function, which it closes
    /// @param functionCodes of the calls that are for it
    /// @param limit how long a call may take
    /// @param nanoTime the time
    /// @param log is told why a call has failed
    ChainedAfu(
            AfuPort port,
            Set<Integer> functionCodes,
            Duration limit,
            LongSupplier nanoTime,
            Consumer<String> log) {
        this.port = port;
        this.functionCodes = Set.copyOf(functionCodes);
        this.limit = limit;
        this.nanoTime = nanoTime;
        this.log = log;
    }

    @Override
    public void trace(Trace trace, Optional<InetSocketAddress> peer) {
        shown = new AfuCalls(trace, port);
        client = peer.orElse(null);
    }

    @Override
    public Set<Integer> functionCodes() {
        return functionCodes;
    }

    @Override
    public Optional<Registers> registers(FlexioProcess process) {
        FlexioBuffer registers =
                FlexioBuffer.ofRegisters(
                        process, "registers of the function", REGISTER_BYTES, this);
        FlexioMkey key =
                FlexioMkey.create(
                        process.domain(), registers, 0, REGISTER_BYTES, Access.LOCAL_WRITE);
        return Optional.of(new Registers(registers.address().value(), key.number()));
    }

    @Override
    public boolean reachesRegions() {
        return true;
    }

    @Override
    public synchronized long lineAddress(MemorySegment pages, long offset) {
        if (offset % LINE_BYTES != 0) {
            throw new IllegalStateException(
                    "a region of the client begins %d bytes behind one it shares memory with; valid for a function of an FPGA: multiples of %d"
                            .formatted(offset, LINE_BYTES));
        }
        long first = lines.computeIfAbsent(pages.address(), _ -> port.map(pages));
        return first + offset / LINE_BYTES;
    }

    @Override
    public boolean hasRegister(long offset, int lengthBytes) {
        return lengthBytes == Long.BYTES;
    }

    @Override
    public synchronized long read(long offset, int lengthBytes) {
        if (failed) {
            return offset == CallRegisters.STATUS ? FAILED : 0;
        }
        try {
            if (running) {
                port.fpga().step(CYCLES_PER_LOOK);
            }
            long value = port.fpga().readMmio64(offset);
            if (running && offset == CallRegisters.STATUS) {
                look(value);
            }
            return failed ? FAILED : value;
        } catch (RuntimeException e) {
            fail(e);
            return FAILED;
        }
    }

    private void look(long status) {
        int code = (int) (status >>> Job.CODE_SHIFT) & 0xFF;
        if (code > ReturnCode.LAST_APPLICATION) {
            fail("it returned 0x%02x; valid: 0x00 to 0x7f".formatted(code));
        } else if ((status & Job.DONE) != 0) {
            tell(false);
            running = false;
        } else if (nanoTime.getAsLong() - sinceNanos > limit.toNanos()) {
            fail("it has not come to an end within " + limit);
        }
    }

    /// What is neither of the platform nor of its checker comes out of the function, in the middle
    /// of a cycle.
    private void fail(RuntimeException e) {
        String why = String.valueOf(e.getMessage());
        if (e instanceof FpgaException || e instanceof ViolationException) {
            fail(why);
        } else {
            failed(why);
            port.replace();
        }
    }

    private void fail(String why) {
        failed(why);
        port.reset();
    }

    private void failed(String why) {
        if (running) {
            tell(true);
        }
        running = false;
        failed = true;
        log.accept("the function of the FPGA: " + why);
    }

    private void tell(boolean hasFailed) {
        if (shown != null) {
            shown.end(
                    client == null ? "function" : "function of " + client,
                    hasFailed,
                    client == null ? 0 : RpcId.of(client, calls));
        }
    }

    @Override
    public synchronized void write(long offset, int lengthBytes, long value) {
        failed = false;
        if (offset == CallRegisters.CONTROL && (value & Job.START) != 0) {
            running = true;
            sinceNanos = nanoTime.getAsLong();
            calls++;
            if (shown != null) {
                shown.begin();
            }
        }
        try {
            port.fpga().writeMmio64(offset, value);
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    @Override
    public synchronized long cycles() {
        return port.cycles();
    }

    @Override
    public synchronized void close() {
        port.close();
    }
}
