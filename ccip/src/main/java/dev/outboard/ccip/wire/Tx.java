package dev.outboard.ccip.wire;

/// All wires from the AFU to the FIU (`t_if_ccip_Tx`, 742 bits; CCI-P manual 1.3.6).
///
/// An object of these is what the wires carry between two rising edges of pClk. It belongs to the
/// simulation that clocks them; an AFU drives one when it is clocked and keeps no reference to it.
public final class Tx {
    /// Memory read requests.
    public final C0Tx c0 = new C0Tx();

    /// Memory writes, write fences, interrupts.
    public final C1Tx c1 = new C1Tx();

    /// MMIO read responses.
    public final C2Tx c2 = new C2Tx();

    /// Wires that carry zeros.
    public Tx() {}

    /// Drives nothing: all three valid wires are 0.
    public void idle() {
        c0.valid = false;
        c1.valid = false;
        c2.mmioRdValid = false;
    }
}
