package dev.outboard.dpa.flexio;

import dev.outboard.dpa.flexio.FlexioException.Reason;
import dev.outboard.dpa.machine.ExternalKind;
import dev.outboard.dpa.machine.ExternalRegion;
import dev.outboard.dpa.machine.MmioDevice;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpacc.DpaAddr;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// DPA-HW-12, DPA-HW-15: memory outside the DPA that its network device can reach: of the host, of
/// the Arm cores, of a GPU or of the device; or the registers of another device. It lives until it
/// is closed, or the process is.
public final class FlexioBuffer {
    private static final int PART_BYTES = 64 << 10;

    private final FlexioProcess process;
    private final ExternalRegion region;
    private final int memoryId;

    private FlexioBuffer(FlexioProcess process, ExternalRegion region) {
        this.process = process;
        this.region = region;
        memoryId = process.device().nextNumber();
        process.add(this);
    }

    /// Takes memory, which starts as zero.
    public static FlexioBuffer create(
            FlexioProcess process, String name, ExternalKind kind, long lengthBytes) {
        process.check();
        checkLength(name, lengthBytes);
        if (kind == ExternalKind.MMIO) {
            throw FlexioException.refuse(
                    Reason.BAD_ARGUMENT,
                    "Buffer '%s' of kind MMIO needs a device: make it by ofRegisters"
                            .formatted(name));
        }
        ExternalRegion region = process.process().external().add(name, kind, lengthBytes);
        return new FlexioBuffer(process, region);
    }

    /// DPA-HW-15: makes memory reachable that something else has, such as that of a GPU which is
    /// mapped into this process.
    ///
    /// @param bytes native memory that any thread may access, at a multiple of 8, for as long as
    ///   the process lives
    /// @throws FlexioException if they are not
    public static FlexioBuffer of(
            FlexioProcess process, String name, ExternalKind kind, MemorySegment bytes) {
        process.check();
        try {
            return new FlexioBuffer(process, process.process().external().add(name, kind, bytes));
        } catch (IllegalArgumentException e) {
            throw FlexioException.refuse(Reason.BAD_ARGUMENT, String.valueOf(e.getMessage()));
        }
    }

    /// DPA-FXW-11: makes the registers of a device reachable: threads store and load them through
    /// windows; neither the host nor the NIC reaches them.
    public static FlexioBuffer ofRegisters(
            FlexioProcess process, String name, long lengthBytes, MmioDevice device) {
        process.check();
        checkLength(name, lengthBytes);
        return process.act(host ->
                new FlexioBuffer(
                        process, process.process().addRegisters(name, lengthBytes, device)));
    }

    private static void checkLength(String name, long lengthBytes) {
        if (lengthBytes < 1) {
            throw FlexioException.refuse(
                    Reason.BAD_ARGUMENT,
                    "Buffer '%s' has at least 1 byte, not %d".formatted(name, lengthBytes));
        }
    }

    /// What device code, keys and queue entries call its first byte.
    public DpaAddr address() {
        return new DpaAddr(region.address());
    }

    /// DPA-FXQ-1: what descriptors of [queue memory][FlexioQueueMemory] call it.
    public int memoryId() {
        return memoryId;
    }

    /// How long it is.
    public long lengthBytes() {
        return region.bytes().byteSize();
    }

    /// Tells whoever follows the process that 8 bytes are a flag: who sees it goes by what was
    /// written before.
    public void flag(long offset) {
        checkPart(offset, Long.BYTES);
        process.process()
                .observer()
                .role(region.address() + offset, Long.BYTES, Observer.WordRole.FLAG, -1);
    }

    /// Copies a part of it to the host.
    public byte[] read(long offset, int lengthBytes) {
        checkMemory();
        checkPart(offset, lengthBytes);
        return process.act(host -> host.copyFrom(region.address() + offset, lengthBytes));
    }

    /// Copies to it from the host.
    public void write(long offset, byte... bytes) {
        checkMemory();
        checkPart(offset, bytes.length);
        process.perform(host -> host.copyTo(region.address() + offset, bytes));
    }

    /// Copies external memory of a process to the host, as the machine has it.
    ///
    /// @throws IndexOutOfBoundsException if there is none
    public static byte[] read(FlexioProcess process, DpaAddr address, int lengthBytes) {
        return process.act(host -> host.copyFrom(address.value(), lengthBytes));
    }

    /// Copies from the host to external memory of a process.
    ///
    /// @throws IndexOutOfBoundsException if there is none
    public static void write(FlexioProcess process, DpaAddr address, byte... bytes) {
        process.perform(host -> host.copyTo(address.value(), bytes));
    }

    /// DPA-HW-15: a load of the host itself, of 8 bytes.
    ///
    /// @throws FlexioException if the host reaches this kind of memory by copies only
    public long load64(long offset) {
        checkDirect(offset);
        return process.act(host -> host.load64(region.address() + offset));
    }

    /// DPA-HW-15: a store of the host itself, of 8 bytes.
    ///
    /// @throws FlexioException if the host reaches this kind of memory by copies only
    public void store64(long offset, long value) {
        checkDirect(offset);
        process.perform(host -> host.store64(region.address() + offset, value));
    }

    /// DPA-HW-15: the host itself adds to 8 bytes, in one step among all accesses of NIC and host.
    ///
    /// @return the former value
    /// @throws FlexioException if the host reaches this kind of memory by copies only
    public long fetchAdd64(long offset, long addend) {
        checkDirect(offset);
        return process.act(host -> host.fetchAdd64(region.address() + offset, addend));
    }

    /// Memory that something else has is used no more, and no key of it is left: what the DPA has
    /// stored there is in its bytes when the call returns.
    ///
    /// A machine whose memory is weak keeps what memory holds elsewhere while it runs.
    ///
    /// @throws FlexioException if the process has ended; the bytes are not touched any more
    public void close() {
        try {
            if (process.process().mode() instanceof RunMode.Turns turns
                    && turns.weak().isPresent()
                    && !region.bytes().isReadOnly()) {
                copyBack();
            }
        } finally {
            process.process().external().remove(region);
            process.forget(this);
        }
    }

    private void copyBack() {
        for (long at = 0; at < lengthBytes(); at += PART_BYTES) {
            byte[] part = read(at, (int) Math.min(PART_BYTES, lengthBytes() - at));
            MemorySegment.copy(part, 0, region.bytes(), ValueLayout.JAVA_BYTE, at, part.length);
        }
    }

    private void checkDirect(long offset) {
        checkPart(offset, Long.BYTES);
        if (!region.kind().isDirect() || offset % Long.BYTES != 0) {
            throw FlexioException.refuse(
                    Reason.BAD_ARGUMENT,
                    "The host loads and stores 8 aligned bytes of memory of its own and of the Arm, not of %s at offset %d"
                            .formatted(this, offset));
        }
    }

    /// DPA-FXW-11: the host does not copy registers.
    void checkMemory() {
        if (isMmio()) {
            throw FlexioException.refuse(
                    Reason.BAD_ARGUMENT,
                    "%s has the registers of a device: only windows reach them".formatted(this));
        }
    }

    /// Whether it has registers.
    boolean isMmio() {
        return region.kind() == ExternalKind.MMIO;
    }

    private void checkPart(long offset, long bytes) {
        if (offset < 0 || bytes < 0 || offset > lengthBytes() - bytes) {
            throw FlexioException.refuse(
                    Reason.BAD_ARGUMENT,
                    "%s has %d bytes, not %d from %d on"
                            .formatted(this, lengthBytes(), bytes, offset));
        }
    }

    FlexioProcess process() {
        return process;
    }

    ExternalRegion region() {
        return region;
    }

    @Override
    public String toString() {
        return "%s memory '%s'".formatted(region.kind(), region.name());
    }
}
