package dev.outboard.dpa.machine;

import java.util.Optional;

/// DPA-MEM-8, DPA-MEM-10: a NIC, or one of its queues. In DPA memory it reads its own view, which
/// has what was written back and perhaps more. Its writes are in no order but that of [#order].
public interface Nic extends Outside {

    /// DPA-MEM-11: what it has written so far comes before what it writes from now on. Between two
    /// writes to a strictly ordered region, and before a completion entry.
    void order();

    /// Adds to 8 bytes in one step, atomically among all accesses of NIC and host.
    ///
    /// @return the former value
    long fetchAdd64(long address, long addend);

    /// Stores 8 bytes if they equal `expected`, in one step, atomically among all accesses of NIC
    /// and host.
    ///
    /// @return the former value
    long compareSwap64(long address, long expected, long value);

    /// Takes the oldest doorbell of all registers and queues, if one has arrived: for a NIC that
    /// serves all queues of the process. MSI-X interrupts are left to the host.
    Optional<Doorbell> pollDoorbell();

    /// Waits for a doorbell of any register and queue, but for MSI-X interrupts, and takes the
    /// oldest.
    Doorbell awaitDoorbell();

    /// What a NIC does.
    @FunctionalInterface
    interface Program {
        /// Runs from the begin of the run to its own end.
        void run(Nic nic);
    }
}
