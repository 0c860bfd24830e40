package dev.outboard.ccip.wire;

/// The wires of Rx C0: read responses, MMIO requests and UMsgs (CCI-P manual 1.3.8). At most one of
/// the three valid wires is 1; header and data mean nothing while none is.
public final class C0Rx {
    private static final int READ = C0Response.RDLINE.code();
    private static final int UMSG = C0Response.UMSG.code();

    /// A memory read response or a UMsg; `resp_type` tells which.
    public boolean rspValid;

    /// An MMIO read request.
    public boolean mmioRdValid;

    /// An MMIO write request.
    public boolean mmioWrValid;

    /// The header, 28 bits, in one of the three layouts of CCI-P manual 1.3.8.1.
    public int hdr;

    /// 512 bits: the line read, the UMsg, or what an MMIO write stores.
    public final long[] data = new long[Line.LONGS];

    /// The bits of a header.
    public static final int HDR_MASK = (1 << 28) - 1;

    /// Wires that carry zeros.
    public C0Rx() {}

    /// A line of a read.
    public void readResponse(VirtualChannel vc, boolean hit, int lineNumber, int mdata) {
        rspValid = true;
        hdr = vc.code() << 26 | (hit ? 1 << 24 : 0) | (lineNumber & 3) << 20 | (mdata & 0xFFFF);
    }

    /// A UMsg, or the hint that one may come, for line `id` of the UMsg address space.
    ///
    /// CCIP-ENC-13: type 1 is the hint.
    public void umsg(boolean hint, int id) {
        rspValid = true;
        hdr = UMSG << 16 | (hint ? 1 << 15 : 0) | (id & 7);
    }

    /// An MMIO read of the register at DWORD offset `address`.
    public void mmioRead(int address, MmioLength length, int tid) {
        mmioRdValid = true;
        hdr = mmio(address, length, tid);
    }

    /// An MMIO write of the register at DWORD offset `address`.
    public void mmioWrite(int address, MmioLength length, int tid) {
        mmioWrValid = true;
        hdr = mmio(address, length, tid);
    }

    /// CCIP-SIG-14, CCIP-MMIO-2: the MMIO layout, with an offset in double words.
    private static int mmio(int address, MmioLength length, int tid) {
        return (address & 0xFFFF) << 12 | length.code() << 10 | (tid & 0x1FF);
    }

    /// Whether this cycle carries a line that was read.
    ///
    /// CCIP-ENC-3: by the type of the response.
    public boolean isReadResponse() {
        return rspValid && responseType() == READ;
    }

    /// Whether this cycle carries a UMsg or its hint.
    public boolean isUmsg() {
        return rspValid && responseType() == UMSG;
    }

    /// `resp_type`, four bits; see [C0Response].
    public int responseType() {
        return hdr >> 16 & 0xF;
    }

    /// Of a read response: `vc_used`; see [VirtualChannel].
    public int channelUsed() {
        return hdr >> 26 & 3;
    }

    /// Of a read response: whether the FPGA cache served it.
    ///
    /// CCIP-ENC-11: 1 is a hit.
    public boolean hit() {
        return (hdr & 1 << 24) != 0;
    }

    /// Of a read response: `cl_num`, which line of the request this is, from 0.
    public int lineNumber() {
        return hdr >> 20 & 3;
    }

    /// Of a read response: `mdata` of the request.
    public int mdata() {
        return hdr & 0xFFFF;
    }

    /// Of an MMIO request: the register, as DWORD offset (byte address >> 2), 16 bits.
    public int mmioAddress() {
        return hdr >>> 12 & 0xFFFF;
    }

    /// Of an MMIO request: `length`, two bits; see [MmioLength].
    public int mmioLength() {
        return hdr >> 10 & 3;
    }

    /// Of an MMIO read: the `tid` to answer with, nine bits.
    public int tid() {
        return hdr & 0x1FF;
    }

    /// Of a UMsg: whether it is the hint, which has no data.
    public boolean isHint() {
        return (hdr & 1 << 15) != 0;
    }

    /// Of a UMsg: which line of the UMsg address space, 0 to 7.
    public int umsgId() {
        return hdr & 7;
    }
}
