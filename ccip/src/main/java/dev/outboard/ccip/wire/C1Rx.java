package dev.outboard.ccip.wire;

/// The wires of Rx C1: responses to writes, fences and interrupts (CCI-P manual 1.3.8).
public final class C1Rx {
    private static final int WRITE = C1Response.WRLINE.code();
    private static final int FENCE = C1Response.WRFENCE.code();
    private static final int INTERRUPT = C1Response.INTR.code();

    /// Whether the header means something in this cycle.
    public boolean rspValid;

    /// The header, 28 bits, in one of the three layouts of CCI-P manual 1.3.8.1.
    public int hdr;

    /// Wires that carry zeros.
    public C1Rx() {}

    /// The response to one line of a write: line `lineNumber` of the request.
    public void writeResponse(VirtualChannel vc, boolean hit, int lineNumber, int mdata) {
        rspValid = true;
        hdr = vc.code() << 26 | (hit ? 1 << 24 : 0) | (lineNumber & 3) << 20 | (mdata & 0xFFFF);
    }

    /// The one response to all lines of a write (`format` 1).
    ///
    /// CCIP-ENC-8, CCIP-ENC-10: format 1, with the size of the payload.
    public void packedWriteResponse(VirtualChannel vc, boolean hit, LineCount count, int mdata) {
        rspValid = true;
        hdr =
                vc.code() << 26
                        | (hit ? 1 << 24 : 0)
                        | 1 << 23
                        | count.code() << 20
                        | (mdata & 0xFFFF);
    }

    /// The response to a write fence.
    public void fenceResponse(int mdata) {
        rspValid = true;
        hdr = FENCE << 16 | (mdata & 0xFFFF);
    }

    /// The response to interrupt `id`.
    public void interruptResponse(VirtualChannel vc, int id) {
        rspValid = true;
        hdr = vc.code() << 26 | INTERRUPT << 16 | (id & 3);
    }

    /// Whether this cycle carries the response to a write.
    public boolean isWriteResponse() {
        return rspValid && responseType() == WRITE;
    }

    /// `resp_type`, four bits; see [C1Response].
    public int responseType() {
        return hdr >> 16 & 0xF;
    }

    /// Of a write or interrupt response: `vc_used`; see [VirtualChannel].
    public int channelUsed() {
        return hdr >> 26 & 3;
    }

    /// Of a write response: whether the FPGA cache held all lines.
    ///
    /// CCIP-ENC-11: 1 is a hit.
    public boolean hit() {
        return (hdr & 1 << 24) != 0;
    }

    /// Of a write response: `format`, whether it answers all lines of the request.
    public boolean packed() {
        return (hdr & 1 << 23) != 0;
    }

    /// Of a write response: `cl_num`, the number of the line, or of a packed one the code of
    /// [LineCount].
    public int lineNumber() {
        return hdr >> 20 & 3;
    }

    /// Of a write or fence response: `mdata` of the request.
    public int mdata() {
        return hdr & 0xFFFF;
    }

    /// Of an interrupt response: its `id`, 0 to 3.
    public int interruptId() {
        return hdr & 3;
    }
}
