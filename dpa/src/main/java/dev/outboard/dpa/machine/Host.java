package dev.outboard.dpa.machine;

/// DPA-MEM-15, DPA-HW-15: a thread of the host process. Its loads and stores reach external memory
/// of the kinds that are direct, in order; everything else it copies.
public interface Host extends Outside {

    /// DPA-MEM-9, DPA-FXH-4: copies to memory of any kind. To DPA memory it counts as a write of
    /// the NIC, complete when the call returns.
    void copyTo(long address, byte[] bytes);

    /// DPA-FXH-5: copies from memory of any kind. From DPA memory it gives the view of the NIC.
    byte[] copyFrom(long address, int lengthBytes);

    /// What a thread of the host does.
    @FunctionalInterface
    interface Program {
        /// Runs from the begin of the run to its own end.
        void run(Host host);
    }
}
