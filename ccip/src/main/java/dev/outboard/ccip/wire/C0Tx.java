package dev.outboard.ccip.wire;

/// The wires of Tx C0: memory read requests (CCI-P manual 1.3.6, 1.3.7).
///
/// The header of 74 bits is kept as it is on the wires: bits 63:0 in [#hdrLow], bits 73:64 in
/// [#hdrHigh].
public final class C0Tx {
    /// Whether the header means something in this cycle.
    public boolean valid;

    /// Header bits 63:0: `RSVD[63:58] address[57:16] mdata[15:0]`.
    public long hdrLow;

    /// Header bits 73:64: `vc_sel[73:72] RSVD[71:70] cl_len[69:68] req_type[67:64]`.
    public int hdrHigh;

    /// Wires that carry zeros.
    public C0Tx() {}

    /// Asks for one, two or four lines, from a line address that is a multiple of their number.
    public void read(ReadType type, VirtualChannel vc, LineCount count, long address, int mdata) {
        valid = true;
        hdrLow = Header.addressAndMdata(address, mdata);
        hdrHigh = vc.code() << 8 | count.code() << 4 | type.code();
    }

    /// `req_type`, four bits; see [ReadType].
    public int requestType() {
        return hdrHigh & 0xF;
    }

    /// `cl_len`, two bits; see [LineCount].
    public int lengthCode() {
        return hdrHigh >> 4 & 3;
    }

    /// `vc_sel`, two bits; see [VirtualChannel].
    public int channel() {
        return hdrHigh >> 8 & 3;
    }

    /// The line address: byte address >> 6, 42 bits.
    ///
    /// CCIP-PLT-11: 42 bits.
    public long address() {
        return Header.address(hdrLow);
    }

    /// What the AFU wants back with each line, 16 bits.
    public int mdata() {
        return (int) hdrLow & 0xFFFF;
    }

    /// The reserved bits: 63:58 in bits 7:2, 71:70 in bits 1:0. An AFU drives 0.
    public int reserved() {
        return (int) (hdrLow >>> 58) << 2 | (hdrHigh >> 6 & 3);
    }
}
