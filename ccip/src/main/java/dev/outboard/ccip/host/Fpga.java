package dev.outboard.ccip.host;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.afu.DeviceFeatureHeader;
import dev.outboard.ccip.checker.Report;
import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.fiu.HostMemory;
import dev.outboard.ccip.fiu.Interrupts;
import dev.outboard.ccip.fiu.Mapping;
import dev.outboard.ccip.fiu.MmioRequest;
import dev.outboard.ccip.fiu.Umsgs;
import dev.outboard.ccip.platform.Access;
import dev.outboard.ccip.platform.PageSize;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.MmioLength;
import dev.outboard.ccip.wire.PowerState;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A host program's handle of an AFU, with the calls of OPAE: registers, shared buffers,
/// interrupts, UMsgs, reset and errors. The package documentation has the C calls beside them.
///
/// It belongs to the program that opened it; closing it releases its buffers. A call takes effect
/// at the next cycle, and lets cycles pass until it is done: one thread then drives everything, and
/// the same run comes again. With a [Runner] another thread lets cycles pass, and any number of
/// threads may call.
///
/// ```java
/// Simulation simulation = Simulation.of(Profile.PAC_A10, new MemoryCopy()).build();
/// try (Fpga fpga = Fpga.open(simulation, MemoryCopy.AFU_ID)) {
///     Buffer source = fpga.prepareBuffer(4096);
///     fpga.writeMmio64(0x40, source.lineAddress());
///     fpga.stepUntil(() -> done.get(JAVA_LONG, 0) == 1, 100_000);
/// }
/// ```
public final class Fpga implements AutoCloseable {
    private static final int AFU_ID_L = 0x08;
    private static final int AFU_ID_H = 0x10;
    private static final int DFH_RSVD0 = 0x18;
    private static final int DFH_RSVD1 = 0x20;
    private static final int QUEUED_WRITES = 1024;
    private static final long NO_LIMIT = Long.MAX_VALUE / 2;
    private static final ValueLayout.OfLong WORD =
            ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final Simulation simulation;
    private final ReentrantLock lock = new ReentrantLock(true);
    private final MmioMapping registers = new MmioMapping(this, MemoryType.UC);
    private final List<Buffer> buffers = new ArrayList<>();
    private @Nullable Runner runner;
    private @Nullable Buffer umas;
    private UUID afuId = new UUID(0, 0);
    private FeatureList features = FeatureList.walk(address -> -1);
    private boolean closed;

    private Fpga(Simulation simulation) {
        this.simulation = simulation;
    }

    // Open and close.

    /// Opens the AFU of this simulation, whichever it is: discovers it, after a reset unless the
    /// simulation is at its beginning.
    ///
    /// @throws FpgaException if the AFU does not answer
    public static Fpga open(Simulation simulation) {
        Fpga fpga = new Fpga(simulation);
        if (simulation.cycle() > 0) {
            simulation.reset();
        }
        fpga.discover();
        return fpga;
    }

    /// Opens the AFU with this AFU_ID (`fpgaEnumerate`, `fpgaOpen`).
    ///
    /// @throws FpgaException if the AFU does not answer, or is another one
    public static Fpga open(Simulation simulation, UUID afuId) {
        Fpga fpga = open(simulation);
        if (!fpga.afuId.equals(afuId)) {
            throw new FpgaException(
                    FpgaException.Reason.NOT_FOUND,
                    "No AFU "
                            + afuId
                            + ": the one behind the port shows "
                            + fpga.afuId
                            + " in AFU_ID_H and AFU_ID_L (0x10, 0x8) in cycle "
                            + simulation.cycle());
        }
        return fpga;
    }

    /// Releases all buffers and waits (`fpgaClose`). The simulation goes on.
    @Override
    public void close() {
        Runner running = runner;
        if (running != null) {
            running.close();
        }
        lock.lock();
        try {
            for (Buffer buffer : List.copyOf(buffers)) {
                release(buffer);
            }
            for (int id = 0; id < Interrupts.IDS; id++) {
                simulation.interrupts().unregister(id);
            }
            closed = true;
        } finally {
            lock.unlock();
        }
    }

    /// Lets a thread clock the simulation from now on, until it is closed.
    public Runner run() {
        lock.lock();
        try {
            requireOpen();
            if (runner != null) {
                throw new FpgaException(
                        FpgaException.Reason.INVALID_STATE,
                        "A runner clocks the simulation already");
            }
            Runner started = new Runner(this, simulation, lock);
            runner = started;
            return started;
        } finally {
            lock.unlock();
        }
    }

    // What the AFU is.

    /// AFU_ID, as found after the last reset.
    public UUID afuId() {
        return afuId;
    }

    /// The device feature list, as found after the last reset.
    public FeatureList features() {
        return features;
    }

    /// Resets the AFU (`fpgaReset`) and discovers it again. What is in flight is forgotten.
    public void reset() {
        withPort(Simulation::reset);
        discover();
    }

    /// Puts another AFU behind the port (`fpgaReconfigureSlot`), which stops the present one, holds
    /// the other in reset and discovers it. Buffers, mappings and caches stay.
    public void reconfigure(Afu afu) {
        withPort(port -> port.swap(afu));
        discover();
    }

    // Registers.

    /// The registers, mapped for the host (`fpgaMapMMIO`).
    public MmioMapping mapMmio(MemoryType type) {
        return type == MemoryType.UC ? registers : new MmioMapping(this, type);
    }

    /// Reads 4 bytes (`fpgaReadMMIO32`).
    public int readMmio32(long offset) {
        return registers.read32(offset);
    }

    /// Reads 8 bytes (`fpgaReadMMIO64`).
    public long readMmio64(long offset) {
        return registers.read64(offset);
    }

    /// Writes 4 bytes (`fpgaWriteMMIO32`).
    public void writeMmio32(long offset, int value) {
        registers.write32(offset, value);
    }

    /// Writes 8 bytes (`fpgaWriteMMIO64`).
    public void writeMmio64(long offset, long value) {
        registers.write64(offset, value);
    }

    /// Writes 64 bytes (`fpgaWriteMMIO512`), eight words of which the first has the lowest address.
    public void writeMmio512(long offset, long... words) {
        registers.write512(offset, words);
    }

    /// Whether the processor reads registers that nobody asked for, as it may from a prefetchable
    /// BAR: an AFU whose reads have side effects is then found out.
    public void spuriousReads(boolean on) {
        withPort(port -> port.mmio().spuriousReads(on));
    }

    // Buffers.

    /// Allocates and maps memory (`fpgaPrepareBuffer`), in pages as large as its size asks for.
    public Buffer prepareBuffer(long bytes) {
        return prepareBuffer(bytes, simulation.memory().pageSizeFor(bytes));
    }

    /// Allocates and maps memory in pages of this size.
    ///
    /// @throws FpgaException if physical memory in one piece is asked for that no page holds
    public Buffer prepareBuffer(long bytes, PageSize pageSize) {
        if (bytes < 1) {
            throw new FpgaException(
                    FpgaException.Reason.BAD_BUFFER,
                    "A buffer of " + bytes + " bytes; valid are 1 and more");
        }
        long rounded = (bytes + HostMemory.GRANULE - 1) & -HostMemory.GRANULE;
        Arena arena = Arena.ofShared();
        try {
            MemorySegment memory = arena.allocate(rounded, HostMemory.GRANULE);
            return map(List.of(memory), List.of(memory.asSlice(0, bytes)), pageSize, arena);
        } catch (RuntimeException | Error e) {
            arena.close();
            throw e;
        }
    }

    /// Maps memory that the program has (`FPGA_BUF_PREALLOCATED`): native segments of whole pages,
    /// contiguous for the AFU in this order.
    public Buffer prepareBuffer(PageSize pageSize, MemorySegment... pieces) {
        return map(List.of(pieces), List.of(pieces), pageSize, null);
    }

    private Buffer map(
            List<MemorySegment> mapped,
            List<MemorySegment> given,
            PageSize pageSize,
            @Nullable Arena arena) {
        long bytes = mapped.stream().mapToLong(MemorySegment::byteSize).sum();
        lock.lock();
        try {
            requireOpen();
            long address = simulation.memory().map(mapped, pageSize, Access.READ_WRITE);
            Buffer buffer = new Buffer(this, given, address, bytes, arena);
            buffers.add(buffer);
            return buffer;
        } catch (IllegalArgumentException e) {
            throw badBuffer(e);
        } finally {
            lock.unlock();
        }
    }

    /// Unmaps a buffer, and frees it if it was allocated here (`fpgaReleaseBuffer`). Requests of
    /// the AFU that are in flight to it are errors of the AFU. Twice is harmless.
    public void releaseBuffer(Buffer buffer) {
        lock.lock();
        try {
            release(buffer);
        } finally {
            lock.unlock();
        }
    }

    private void release(Buffer buffer) {
        if (buffers.remove(buffer)) {
            simulation.memory().unmap(buffer.ioAddress(), buffer.mappedBytes());
            buffer.free();
        }
    }

    void protect(Buffer buffer, long offset, long length, Access access) {
        if (offset < 0 || length < 1 || length > buffer.bytes() - offset) {
            throw new FpgaException(
                    FpgaException.Reason.INVALID_ARGUMENT,
                    "Bytes "
                            + offset
                            + " to "
                            + (offset + length)
                            + " of a buffer of "
                            + buffer.bytes());
        }
        withPort(port -> {
            try {
                port.memory().protect(buffer.ioAddress() + offset, length, access);
            } catch (IllegalArgumentException e) {
                throw badBuffer(e);
            }
        });
    }

    private static FpgaException badBuffer(IllegalArgumentException cause) {
        return new FpgaException(
                FpgaException.Reason.BAD_BUFFER, String.valueOf(cause.getMessage()), cause);
    }

    // Interrupts.

    /// Remembers interrupts with this id from now on (`fpgaRegisterEvent`).
    ///
    /// @throws FpgaException on a platform without interrupts
    public void registerInterrupt(int id) {
        requireInterrupt(id);
        withPort(port -> port.interrupts().register(id));
    }

    /// Waits for this id no more (`fpgaUnregisterEvent`): its interrupts are spurious.
    public void unregisterInterrupt(int id) {
        requireInterrupt(id);
        withPort(port -> port.interrupts().unregister(id));
    }

    /// Waits until an interrupt with this id has come since the last wait, registering for it if
    /// need be (`poll` and `read` on the event of OPAE).
    ///
    /// @return how many have come
    /// @throws FpgaException if none comes within so many cycles
    public long waitForInterrupt(int id, long cycles) {
        requireInterrupt(id);
        lock.lock();
        try {
            requireOpen();
            Interrupts interrupts = simulation.interrupts();
            boolean registered = interrupts.isRegistered(id);
            interrupts.register(id);
            try {
                await("interrupt " + id, () -> interrupts.isPending(id), cycles);
                return interrupts.take(id);
            } finally {
                if (!registered) {
                    interrupts.unregister(id);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /// How many interrupts with this id have come since the last wait, without waiting for one.
    public long takeInterrupts(int id) {
        requireInterrupt(id);
        lock.lock();
        try {
            requireOpen();
            return simulation.interrupts().take(id);
        } finally {
            lock.unlock();
        }
    }

    /// How many interrupts came that nobody had registered for.
    public long spuriousInterrupts() {
        return simulation.interrupts().spurious();
    }

    private void requireInterrupt(int id) {
        if (!simulation.profile().interrupts()) {
            throw unsupported("interrupts");
        }
        if (id < 0 || id >= Interrupts.IDS) {
            throw new FpgaException(
                    FpgaException.Reason.INVALID_ARGUMENT,
                    "Interrupt " + id + "; valid are 0 to 3");
        }
    }

    // UMsgs.

    /// The line whose stores are sent to the AFU as UMsg `id` (`fpgaGetUmsgPtr`).
    ///
    /// @throws FpgaException on a platform without UMsgs
    public MemorySegment umsg(int id) {
        if (id < 0 || id >= Umsgs.COUNT) {
            throw new FpgaException(
                    FpgaException.Reason.INVALID_ARGUMENT, "UMsg " + id + "; valid are 0 to 7");
        }
        return umas().segment().asSlice((long) id * Line.BYTES, Line.BYTES);
    }

    /// Stores words at the beginning of the line and sends it, changed or not (`fpgaTriggerUmsg`).
    public void triggerUmsg(int id, long... words) {
        MemorySegment line = umsg(id);
        withPort(port -> {
            for (int i = 0; i < words.length; i++) {
                line.setAtIndex(WORD, i, words[i]);
            }
            port.requireUmsgs().written(id);
        });
    }

    /// Sends hints before the UMsgs whose bits are set (`fpgaSetUmsgAttributes`).
    public void umsgHints(int mask) {
        umas();
        withPort(port -> port.requireUmsgs().hints(mask));
    }

    /// Sends a hint that no UMsg follows.
    public void falseUmsgHint(int id) {
        umsg(id);
        withPort(port -> port.requireUmsgs().falseHint(id));
    }

    Buffer umas() {
        lock.lock();
        try {
            if (!simulation.profile().umsgs()) {
                throw unsupported("UMsgs");
            }
            Buffer present = umas;
            if (present == null) {
                present = prepareBuffer((long) Umsgs.COUNT * Line.BYTES);
                Mapping mapping =
                        Objects.requireNonNull(simulation.memory().find(present.lineAddress()));
                simulation.requireUmsgs().setUp(mapping, present.lineAddress());
                umas = present;
            }
            return present;
        } finally {
            lock.unlock();
        }
    }

    // Power and errors.

    /// Asks the AFU to keep to this power.
    public void setPowerState(PowerState state) {
        withPort(port -> port.power(state));
    }

    /// The protocol errors of the AFU since they were cleared (`fpgaReadError`).
    public Set<Violation> errors() {
        return simulation.errors().seen();
    }

    /// The first of them, in full.
    public Optional<Report> firstError() {
        return simulation.errors().first();
    }

    /// Forgets the errors (`fpgaClearAllErrors`). A reset must follow before the port serves again.
    public void clearErrors() {
        withPort(Simulation::clearErrors);
    }

    // Time.

    /// Lets this many cycles pass.
    ///
    /// @throws FpgaException while a runner clocks
    public void step(long cycles) {
        withPort(port -> {
            if (runner != null) {
                throw new FpgaException(
                        FpgaException.Reason.INVALID_STATE, "A runner clocks the simulation");
            }
            port.step(cycles);
        });
    }

    /// Waits until a condition on buffers holds, which is asked between cycles.
    ///
    /// @throws FpgaException if it does not hold within so many cycles, with a runner also not
    ///   within its patience
    public void waitUntil(BooleanSupplier condition, long cycles) {
        withPort(port -> await("a condition of the program", condition, cycles));
    }

    /// Does something with the port between two cycles.
    void withPort(Consumer<Simulation> action) {
        lock.lock();
        try {
            requireOpen();
            action.accept(simulation);
            Runner running = runner;
            if (running != null) {
                running.called();
            }
        } finally {
            lock.unlock();
        }
    }

    MmioRequest await(MmioRequest request) {
        withPort(port -> await(request.toString(), request::isDone, NO_LIMIT));
        return request;
    }

    /// Waits until the AFU has taken enough of the writes before.
    void awaitRoom() {
        if (simulation.mmio().queued() >= QUEUED_WRITES) {
            await(
                    "room for MMIO writes",
                    () -> simulation.mmio().queued() < QUEUED_WRITES / 2,
                    NO_LIMIT);
        }
    }

    void stopped(Runner ended) {
        if (runner == ended) {
            runner = null;
        }
    }

    /// An error of the program, which is counted too.
    FpgaException misuse(Violation violation, FpgaException.Reason reason, String message) {
        simulation.checker().report(violation, simulation.cycle(), message);
        return new FpgaException(reason, message);
    }

    Simulation simulation() {
        return simulation;
    }

    private void await(String what, BooleanSupplier done, long cycles) {
        long began = simulation.cycle();
        Runner running = runner;
        boolean held =
                running == null
                        ? simulation.stepUntilDone(what, done, cycles)
                        : running.await(done, cycles);
        if (held) {
            return;
        }
        boolean stalled = simulation.watchdog().isStalled();
        throw new FpgaException(
                stalled ? FpgaException.Reason.STALLED : FpgaException.Reason.TIMEOUT,
                "Waited from cycle "
                        + began
                        + " to "
                        + simulation.cycle()
                        + " for "
                        + what
                        + ", in vain; the port carried something last in cycle "
                        + simulation.watchdog().lastActive());
    }

    private void requireOpen() {
        if (closed) {
            throw new FpgaException(
                    FpgaException.Reason.INVALID_STATE,
                    "The handle of AFU " + afuId + " is closed");
        }
    }

    private FpgaException unsupported(String what) {
        return new FpgaException(
                FpgaException.Reason.UNSUPPORTED,
                "Platform " + simulation.profile().name() + " has no " + what);
    }

    // Discovery.

    /// Reads the ids in the first cycles after reset, then everything else (CCI-P manual 1.4.2).
    private void discover() {
        MmioRequest low = registers.post(AFU_ID_L, MmioLength.BYTES_8);
        MmioRequest high = registers.post(AFU_ID_H, MmioLength.BYTES_8);
        afuId = new UUID(answer(high), answer(low));
        if (afuId.equals(new UUID(0, 0)) || afuId.equals(new UUID(-1, -1))) {
            report(Violation.CSR_AFU_ID_BAD, "AFU_ID_H and AFU_ID_L (0x10, 0x8) are " + afuId);
        }
        long header = answer(registers.post(0, MmioLength.BYTES_8));
        if (new DeviceFeatureHeader(header).type() != DeviceFeatureHeader.AFU) {
            report(Violation.CSR_DFH_BAD, "DEV_FEATURE_HDR (0x0) is 0x%016x".formatted(header));
        }
        for (int offset = DFH_RSVD0; offset <= DFH_RSVD1; offset += Long.BYTES) {
            long value = answer(registers.post(offset, MmioLength.BYTES_8));
            if (value != 0) {
                report(
                        Violation.CSR_RSVD_NONZERO,
                        "the reserved register at 0x%x is 0x%016x".formatted(offset, value));
            }
        }
        features = FeatureList.walk(address -> answer(registers.post(address, MmioLength.BYTES_8)));
        features.findings().forEach(finding -> report(finding.violation(), finding.detail()));
    }

    private long answer(MmioRequest read) {
        await(read);
        if (read.state() == MmioRequest.State.TIMED_OUT) {
            throw new FpgaException(
                    FpgaException.Reason.NO_ANSWER,
                    "The AFU did not answer the "
                            + read
                            + " that it was given in cycle "
                            + read.sentCycle()
                            + " within "
                            + simulation.profile().mmioTimeout()
                            + " cycles");
        }
        return read.value();
    }

    void report(Violation violation, String detail) {
        simulation.checker().report(violation, simulation.cycle(), detail);
    }
}
