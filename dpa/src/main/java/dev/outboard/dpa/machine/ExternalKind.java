package dev.outboard.dpa.machine;

/// DPA-HW-15: kinds of external memory, or of what stands where memory could stand.
public enum ExternalKind {
    /// The DRAM of the host.
    HOST(true),
    /// The DRAM of the BlueField's Arm cores.
    ARM(true),
    /// The memory of a GPU.
    GPU(false),
    /// The memory of the NIC.
    DEVICE(false),
    /// DPA-FXW-11: no memory, but the registers of a device behind the node. Only windows reach
    /// them.
    MMIO(false);

    private final boolean direct;

    ExternalKind(boolean direct) {
        this.direct = direct;
    }

    /// Whether the host process reads and writes it directly; otherwise it copies, if it can.
    public boolean isDirect() {
        return direct;
    }
}
