package dev.outboard.ccip.host;

import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.fiu.Mmio;
import dev.outboard.ccip.fiu.MmioRequest;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.MmioLength;

/// The registers of an AFU, mapped for the host (`fpgaMapMMIO`): 256 KiB, addressed in bytes.
///
/// Writes are posted: a call returns when the processor has taken the store. Reads return what the
/// AFU answers, all ones if it does not in time or a reset comes in between. It belongs to its
/// [Fpga], and any thread may use it.
public final class MmioMapping {
    private static final int QUEUED_WRITES = 1024;
    private static final long LOW_HALF = 0xFFFF_FFFFL;

    private final Clocking clocking;
    private final MemoryType type;

    MmioMapping(Clocking clocking, MemoryType type) {
        this.clocking = clocking;
        this.type = type;
    }

    /// How the processor treats it.
    public MemoryType type() {
        return type;
    }

    /// Reads 4 bytes.
    public int read32(long offset) {
        return (int) read(offset, MmioLength.BYTES_4);
    }

    /// Reads 8 bytes.
    public long read64(long offset) {
        return read(offset, MmioLength.BYTES_8);
    }

    /// Reads 4 or 8 bytes.
    ///
    /// @throws FpgaException if the address is no multiple of the length or outside the 256 KiB, or
    ///   for 64 bytes, which cannot be read
    public long read(long offset, MmioLength length) {
        return clocking.await(post(offset, length)).value();
    }

    /// Writes 4 bytes.
    public void write32(long offset, int value) {
        write(offset, MmioLength.BYTES_4, value & LOW_HALF);
    }

    /// Writes 8 bytes.
    public void write64(long offset, long value) {
        write(offset, MmioLength.BYTES_8, value);
    }

    /// Writes 64 bytes at once, eight words of which the first has the lowest address.
    public void write512(long offset, long... words) {
        if (words.length != Line.LONGS) {
            throw new FpgaException(
                    FpgaException.Reason.INVALID_ARGUMENT,
                    "A write of 64 bytes with " + words.length + " words; valid are 8");
        }
        write(offset, MmioLength.BYTES_64, words);
    }

    /// Lets everything written before reach the AFU before anything written later (`SFENCE`).
    public void storeFence() {
        clocking.run(port -> port.mmio().storeFence());
    }

    /// Begins a read that somebody waits for later.
    MmioRequest post(long offset, MmioLength length) {
        if (length == MmioLength.BYTES_64) {
            throw clocking.misuse(
                    Violation.HOST_MMIO_READ_64,
                    FpgaException.Reason.MMIO_READ_64,
                    "Read of 64 bytes at 0x"
                            + Long.toHexString(offset)
                            + "; valid are 4 and 8 bytes");
        }
        int address = check("Read", offset, length);
        return clocking.call(port ->
                type == MemoryType.UC
                        ? port.mmio().read(address, length)
                        : port.mmio().readCombining(address, length));
    }

    private void write(long offset, MmioLength length, long... data) {
        int address = check("Write", offset, length);
        clocking.run(port -> {
            awaitRoom(port.mmio());
            if (type == MemoryType.UC) {
                port.mmio().write(address, length, data);
            } else {
                port.mmio().writeCombining(address, length, data);
            }
        });
    }

    /// Waits until the AFU has taken enough of the writes before.
    private void awaitRoom(Mmio mmio) {
        if (mmio.queued() >= QUEUED_WRITES) {
            clocking.await(
                    "room for MMIO writes",
                    () -> mmio.queued() < QUEUED_WRITES / 2,
                    Clocking.NO_LIMIT);
        }
    }

    private int check(String what, long offset, MmioLength length) {
        String access = what + " of " + length.bytes() + " bytes at 0x" + Long.toHexString(offset);
        if (offset < 0 || offset > Profile.MMIO_BYTES - length.bytes()) {
            throw clocking.misuse(
                    Violation.HOST_MMIO_RANGE,
                    FpgaException.Reason.MMIO_RANGE,
                    access
                            + "; the registers of an AFU end at 0x"
                            + Integer.toHexString(Profile.MMIO_BYTES));
        }
        if (offset % length.bytes() != 0) {
            throw clocking.misuse(
                    Violation.HOST_MMIO_MISALIGNED,
                    FpgaException.Reason.MMIO_MISALIGNED,
                    access + "; valid are multiples of " + length.bytes());
        }
        return (int) offset;
    }
}
