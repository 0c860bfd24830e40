package dev.outboard.dpa.machine.run;

import dev.outboard.dpa.machine.ExternalRegion;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.MmioDevice;
import dev.outboard.dpa.machine.memory.FaultSignal;
import dev.outboard.dpa.machine.memory.Words;

/// DPA-FXW-11: calls of devices whose registers windows reach: one at a time, and what a device
/// throws is a fault of the thread whose access it is.
public final class Registers {
    private Registers() {}

    /// Checks that an access is one to a register.
    ///
    /// @throws FaultSignal if it is not
    static void check(ExternalRegion region, MmioDevice device, long address, int lengthBytes) {
        long offset = address - region.address();
        boolean found;
        try {
            found = device.hasRegister(offset, lengthBytes);
        } catch (Throwable thrown) {
            throw failed(region, address, lengthBytes, "a question", thrown);
        }
        if (!found) {
            throw new FaultSignal(
                    Fault.NO_REGISTER,
                    address,
                    lengthBytes,
                    "device '%s' has no register of %d bytes at offset 0x%x"
                            .formatted(region.name(), lengthBytes, offset));
        }
    }

    /// Reads a register.
    ///
    /// @param region of kind MMIO
    /// @return its value, without sign
    /// @throws FaultSignal if the device fails
    public static long read(ExternalRegion region, long address, int lengthBytes) {
        MmioDevice device = region.device().orElseThrow();
        try {
            synchronized (device) {
                return device.read(address - region.address(), lengthBytes)
                        & Words.mask(lengthBytes);
            }
        } catch (Throwable thrown) {
            throw failed(region, address, lengthBytes, "a read", thrown);
        }
    }

    /// Writes the low bytes of a value to a register.
    ///
    /// @param region of kind MMIO
    /// @throws FaultSignal if the device fails
    public static void write(ExternalRegion region, long address, int lengthBytes, long value) {
        MmioDevice device = region.device().orElseThrow();
        try {
            synchronized (device) {
                device.write(
                        address - region.address(), lengthBytes, value & Words.mask(lengthBytes));
            }
        } catch (Throwable thrown) {
            throw failed(region, address, lengthBytes, "a write", thrown);
        }
    }

    private static FaultSignal failed(
            ExternalRegion region, long address, int lengthBytes, String what, Throwable thrown) {
        return new FaultSignal(
                Fault.DEVICE_FAILED,
                address,
                lengthBytes,
                "device '%s' answered %s of offset 0x%x by %s"
                        .formatted(region.name(), what, address - region.address(), thrown));
    }
}
