package dev.outboard.ccip.host;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.checker.Report;
import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.fiu.HostMemory;
import dev.outboard.ccip.fiu.Interrupts;
import dev.outboard.ccip.fiu.Mapping;
import dev.outboard.ccip.fiu.Umsgs;
import dev.outboard.ccip.platform.Access;
import dev.outboard.ccip.platform.PageSize;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.Line;
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
import java.util.function.BooleanSupplier;
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
///     fpga.waitUntil(() -> fpga.readMmio64(0x60) == 1, 100_000);
/// }
/// ```
public final class Fpga implements AutoCloseable {
    private static final ValueLayout.OfLong WORD =
            ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final Clocking clocking;
    private final MmioMapping registers;
    private final List<Buffer> buffers = new ArrayList<>();
    private @Nullable Buffer umas;
    private volatile Discovery discovery;

    private Fpga(Simulation simulation) {
        clocking = new Clocking(simulation);
        registers = new MmioMapping(clocking, MemoryType.UC);
        if (simulation.cycle() > 0) {
            simulation.reset();
        }
        discovery = Discovery.of(clocking, registers);
    }

    // Open and close.

    /// Opens the AFU of this simulation, whichever it is: discovers it, after a reset unless the
    /// simulation is at its beginning.
    ///
    /// @throws FpgaException if the AFU does not answer
    public static Fpga open(Simulation simulation) {
        return new Fpga(simulation);
    }

    /// Opens the AFU with this AFU_ID (`fpgaEnumerate`, `fpgaOpen`).
    ///
    /// CCIP-CSR-22, CCIP-HST-7: an AFU is opened by its GUID.
    ///
    /// @throws FpgaException if the AFU does not answer, or is another one
    public static Fpga open(Simulation simulation, UUID afuId) {
        Fpga fpga = open(simulation);
        if (!fpga.afuId().equals(afuId)) {
            throw new FpgaException(
                    FpgaException.Reason.NOT_FOUND,
                    "No AFU "
                            + afuId
                            + ": the one behind the port shows "
                            + fpga.afuId()
                            + " in AFU_ID_H and AFU_ID_L (0x10, 0x8) in cycle "
                            + simulation.cycle());
        }
        return fpga;
    }

    /// Releases all buffers and waits (`fpgaClose`). The simulation goes on.
    @Override
    public void close() {
        clocking.close();
        clocking.locked(port -> {
            for (Buffer buffer : List.copyOf(buffers)) {
                release(port, buffer);
            }
            for (int id = 0; id < Interrupts.IDS; id++) {
                port.interrupts().unregister(id);
            }
            return port;
        });
    }

    /// Lets a thread clock the simulation from now on, until it is closed.
    public Runner run() {
        return clocking.start();
    }

    // What the AFU is.

    /// AFU_ID, as found after the last reset.
    public UUID afuId() {
        return discovery.afuId();
    }

    /// The device feature list, as found after the last reset.
    public FeatureList features() {
        return discovery.features();
    }

    /// Resets the AFU (`fpgaReset`) and discovers it again. What is in flight is forgotten.
    public void reset() {
        clocking.run(Simulation::reset);
        discovery = Discovery.of(clocking, registers);
    }

    /// Puts another AFU behind the port (`fpgaReconfigureSlot`), which stops the present one, holds
    /// the other in reset and discovers it. Buffers, mappings and caches stay.
    ///
    /// CCIP-DSC-3, CCIP-MOD-12b: another AFU is discovered anew.
    public void reconfigure(Afu afu) {
        clocking.run(port -> port.swap(afu));
        discovery = Discovery.of(clocking, registers);
    }

    // Registers.

    /// The registers, mapped for the host (`fpgaMapMMIO`).
    public MmioMapping mapMmio(MemoryType type) {
        return type == MemoryType.UC ? registers : new MmioMapping(clocking, type);
    }

    /// Reads 4 bytes (`fpgaReadMMIO32`).
    ///
    /// CCIP-HST-5, CCIP-CSR-2: registers of 32 bits are read by double words.
    public int readMmio32(long offset) {
        return registers.read32(offset);
    }

    /// Reads 8 bytes (`fpgaReadMMIO64`).
    ///
    /// CCIP-CSR-1: registers of 64 bits are read whole.
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
        clocking.run(port -> port.mmio().spuriousReads(on));
    }

    // Buffers.

    /// Allocates and maps memory (`fpgaPrepareBuffer`), in pages as large as its size asks for.
    public Buffer prepareBuffer(long bytes) {
        return prepareBuffer(bytes, clocking.locked(port -> port.memory().pageSizeFor(bytes)));
    }

    /// Allocates and maps memory in pages of this size.
    ///
    /// @throws FpgaException if physical memory in one piece is asked for that no page holds
    public Buffer prepareBuffer(long bytes, PageSize pageSize) {
        if (bytes < 1 || bytes > HostMemory.MOST_BYTES) {
            throw new FpgaException(
                    FpgaException.Reason.BAD_BUFFER,
                    "A buffer of "
                            + bytes
                            + " bytes; valid are 1 to "
                            + HostMemory.MOST_BYTES
                            + ", and no more than this machine has");
        }
        long rounded = (bytes + HostMemory.GRANULE - 1) & -HostMemory.GRANULE;
        Arena arena = Arena.ofShared();
        try {
            MemorySegment memory = allocate(arena, rounded);
            return map(List.of(memory), List.of(memory.asSlice(0, bytes)), pageSize, arena);
        } catch (RuntimeException | Error e) {
            arena.close();
            throw e;
        }
    }

    private static MemorySegment allocate(Arena arena, long bytes) {
        try {
            return arena.allocate(bytes, HostMemory.GRANULE);
        } catch (OutOfMemoryError e) {
            throw new FpgaException(
                    FpgaException.Reason.BAD_BUFFER,
                    "A buffer of "
                            + bytes
                            + " bytes: this machine, or -XX:MaxDirectMemorySize, does not give as"
                            + " much; valid are smaller ones",
                    e);
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
        try {
            return clocking.call(port -> {
                long address = port.memory().map(mapped, pageSize, Access.READ_WRITE);
                Buffer buffer = new Buffer(this, given, address, bytes, arena);
                buffers.add(buffer);
                return buffer;
            });
        } catch (IllegalArgumentException e) {
            throw badBuffer(e);
        }
    }

    /// Unmaps a buffer, and frees it if it was allocated here (`fpgaReleaseBuffer`). Requests of
    /// the AFU that are in flight to it are errors of the AFU. Twice is harmless.
    public void releaseBuffer(Buffer buffer) {
        clocking.locked(port -> release(port, buffer));
    }

    private Simulation release(Simulation port, Buffer buffer) {
        if (buffers.remove(buffer)) {
            port.memory().unmap(buffer.ioAddress(), buffer.mappedBytes());
            buffer.free();
        }
        return port;
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
        try {
            clocking.run(
                    port -> port.memory().protect(buffer.ioAddress() + offset, length, access));
        } catch (IllegalArgumentException e) {
            throw badBuffer(e);
        }
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
        clocking.run(port -> port.interrupts().register(id));
    }

    /// Waits for this id no more (`fpgaUnregisterEvent`): its interrupts are spurious.
    public void unregisterInterrupt(int id) {
        requireInterrupt(id);
        clocking.run(port -> port.interrupts().unregister(id));
    }

    /// Waits until an interrupt with this id has come since the last wait, registering for it if
    /// need be (`poll` and `read` on the event of OPAE).
    ///
    /// @return how many have come
    /// @throws FpgaException if none comes within so many cycles
    public long waitForInterrupt(int id, long cycles) {
        requireInterrupt(id);
        return clocking.call(port -> {
            Interrupts interrupts = port.interrupts();
            boolean registered = interrupts.isRegistered(id);
            interrupts.register(id);
            try {
                clocking.await("interrupt " + id, () -> interrupts.isPending(id), cycles);
                return interrupts.take(id);
            } finally {
                if (!registered) {
                    interrupts.unregister(id);
                }
            }
        });
    }

    /// How many interrupts with this id have come since the last wait, without waiting for one.
    public long takeInterrupts(int id) {
        requireInterrupt(id);
        return clocking.call(port -> port.interrupts().take(id));
    }

    /// How many interrupts came that nobody had registered for.
    public long spuriousInterrupts() {
        return clocking.locked(port -> port.interrupts().spurious());
    }

    private void requireInterrupt(int id) {
        if (!platform().interrupts()) {
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
        if (words.length > Line.LONGS) {
            throw new FpgaException(
                    FpgaException.Reason.INVALID_ARGUMENT,
                    "A UMsg of " + words.length + " words; valid are up to 8");
        }
        clocking.run(port -> {
            for (int i = 0; i < words.length; i++) {
                line.setAtIndex(WORD, i, words[i]);
            }
            port.requireUmsgs().written(id);
        });
    }

    /// Sends hints before the UMsgs whose bits are set (`fpgaSetUmsgAttributes`).
    public void umsgHints(int mask) {
        umas();
        clocking.run(port -> port.requireUmsgs().hints(mask));
    }

    /// Sends a hint that no UMsg follows.
    public void falseUmsgHint(int id) {
        umsg(id);
        clocking.run(port -> port.requireUmsgs().falseHint(id));
    }

    /// CCIP-UMSG-1, CCIP-PLT-8: refused where the platform has none.
    Buffer umas() {
        if (!platform().umsgs()) {
            throw unsupported("UMsgs");
        }
        return clocking.call(port -> {
            Buffer present = umas;
            if (present == null) {
                present = prepareBuffer((long) Umsgs.COUNT * Line.BYTES);
                Mapping mapping = port.memory().find(present.lineAddress());
                port.requireUmsgs().setUp(Objects.requireNonNull(mapping), present.lineAddress());
                umas = present;
            }
            return present;
        });
    }

    // Power and errors.

    /// Asks the AFU to keep to this power.
    ///
    /// CCIP-PWR-1: by the host.
    public void setPowerState(PowerState state) {
        clocking.run(port -> port.power(state));
    }

    /// The protocol errors of the AFU since they were cleared (`fpgaReadError`).
    public Set<Violation> errors() {
        return clocking.locked(port -> port.errors().seen());
    }

    /// The first of them, in full.
    public Optional<Report> firstError() {
        return clocking.locked(port -> port.errors().first());
    }

    /// Forgets the errors (`fpgaClearAllErrors`). A reset must follow before the port serves again.
    ///
    /// CCIP-ERR-5: with a reset after it the port serves again.
    public void clearErrors() {
        clocking.run(Simulation::clearErrors);
    }

    // Time.

    /// Lets this many cycles pass.
    ///
    /// @throws FpgaException while a runner clocks
    public void step(long cycles) {
        clocking.step(cycles);
    }

    /// Waits until a condition on buffers or registers holds, which is asked between cycles.
    ///
    /// @throws FpgaException if it does not hold within so many cycles, with a runner also not
    ///   within its patience
    public void waitUntil(BooleanSupplier condition, long cycles) {
        clocking.await("a condition of the program", condition, cycles);
    }

    Clocking clocking() {
        return clocking;
    }

    private Profile platform() {
        return clocking.simulation().profile();
    }

    private FpgaException unsupported(String what) {
        return new FpgaException(
                FpgaException.Reason.UNSUPPORTED,
                "Platform " + platform().name() + " has no " + what);
    }
}
