package dev.outboard.dpa.machine;

/// DPA-FXW-11: the registers of a device behind the node, such as an FPGA function, which threads
/// reach through a window.
///
/// Reads and writes come one at a time, in the thread of the actor whose access it is, or in turns
/// of the one that acts when a store gets there. The monitor of the device is held meanwhile, so
/// that a device which acts by itself synchronizes on itself. It must not wait for what the process
/// does. What it throws ends the process by a fault, and nothing else.
///
/// In turns, a run is a function of its seed only if the device is one of its calls.
public interface MmioDevice {
    /// Whether there is a register of 1, 2, 4 or 8 bytes at an offset that they divide. An access
    /// to any other place is a fault. Asked at any time, by any thread; the answer for a place is
    /// always the same.
    boolean hasRegister(long offset, int lengthBytes);

    /// Reads a register.
    ///
    /// @return its value in the low bytes; the others do not matter
    long read(long offset, int lengthBytes);

    /// Writes a register.
    ///
    /// @param value without sign
    void write(long offset, int lengthBytes, long value);
}
