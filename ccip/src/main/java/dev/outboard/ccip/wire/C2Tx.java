package dev.outboard.ccip.wire;

/// The wires of Tx C2: MMIO read responses (CCI-P manual 1.3.6, 1.3.7).
public final class C2Tx {
    /// Whether [#tid] and [#data] mean something in this cycle (`mmioRdValid`).
    public boolean mmioRdValid;

    /// The header: which read is answered, nine bits.
    public int tid;

    /// The value; of a read of 4 bytes in bits 31:0.
    public long data;

    /// Wires that carry zeros.
    public C2Tx() {}

    /// Answers the MMIO read with this `tid`.
    public void respond(int tid, long data) {
        mmioRdValid = true;
        this.tid = tid & 0x1FF;
        this.data = data;
    }
}
