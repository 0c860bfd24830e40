package dev.outboard.ccip.wire;

/// The wires of Tx C1: memory writes, write fences and interrupts (CCI-P manual 1.3.6, 1.3.7).
///
/// The header of 80 bits is kept as it is on the wires: bits 63:0 in [#hdrLow], bits 79:64 in
/// [#hdrHigh].
public final class C1Tx {
    /// Whether header and data mean something in this cycle.
    public boolean valid;

    /// Header bits 63:0: `byte_start[63:58] address[57:16] mdata[15:0]`; of an interrupt
    /// `RSVD[63:2] id[1:0]`.
    public long hdrLow;

    /// Header bits 79:64: `byte_len[79:74] vc_sel[73:72] sop[71] mode[70] cl_len[69:68]
    /// req_type[67:64]`.
    public int hdrHigh;

    /// The line, 512 bits: bits 63:0 come first.
    public final long[] data = new long[Line.LONGS];

    /// Wires that carry zeros.
    public C1Tx() {}

    /// The first beat of a write of one, two or four lines; the caller sets [#data].
    public void write(WriteType type, VirtualChannel vc, LineCount count, long address, int mdata) {
        valid = true;
        hdrLow = Header.addressAndMdata(address, mdata);
        hdrHigh = vc.code() << 8 | 1 << 7 | count.code() << 4 | type.code();
    }

    /// A later beat of a write: line `address` of the same request; the caller sets [#data].
    ///
    /// CCIP-HDR-24: of a later beat neither mdata nor channel count.
    public void writeNext(WriteType type, long address) {
        valid = true;
        hdrLow = Header.addressAndMdata(address & 3, 0);
        hdrHigh = type.code();
    }

    /// A write of the bytes `start` to `start + length - 1` of one line, which lie there in [#data]
    /// too: at least one, and not the whole line, which only [#write] can say.
    ///
    /// CCIP-BYT-5: the length counts bytes upwards.
    public void writeBytes(
            WriteType type, VirtualChannel vc, long address, int mdata, int start, int length) {
        valid = true;
        hdrLow = (long) (start & 0x3F) << 58 | Header.addressAndMdata(address, mdata);
        hdrHigh = (length & 0x3F) << 10 | vc.code() << 8 | 1 << 7 | 1 << 6 | type.code();
    }

    /// A write fence for the earlier writes of channel `vc`, or of all channels with
    /// [VirtualChannel#VA].
    public void fence(VirtualChannel vc, int mdata) {
        valid = true;
        hdrLow = mdata & 0xFFFF;
        hdrHigh = vc.code() << 8 | WriteType.WRFENCE.code();
    }

    /// Interrupt `id`, 0 to 3.
    ///
    /// CCIP-ENC-18: the channel is where the header of 80 bits has it.
    public void interrupt(VirtualChannel vc, int id) {
        valid = true;
        hdrLow = id & 3;
        hdrHigh = vc.code() << 8 | WriteType.INTR.code();
    }

    /// `req_type`, four bits; see [WriteType].
    public int requestType() {
        return hdrHigh & 0xF;
    }

    /// `cl_len`, two bits; see [LineCount].
    public int lengthCode() {
        return hdrHigh >> 4 & 3;
    }

    /// `mode`: whether [#byteStart] and [#byteLength] count.
    ///
    /// CCIP-ENC-7: mode 1 is bytes.
    public boolean byteMode() {
        return (hdrHigh & 1 << 6) != 0;
    }

    /// `sop`: whether this beat begins a write.
    public boolean startOfPacket() {
        return (hdrHigh & 1 << 7) != 0;
    }

    /// `vc_sel`, two bits; see [VirtualChannel].
    public int channel() {
        return hdrHigh >> 8 & 3;
    }

    /// `byte_len`, six bits.
    public int byteLength() {
        return hdrHigh >> 10 & 0x3F;
    }

    /// `byte_start`, six bits.
    public int byteStart() {
        return (int) (hdrLow >>> 58);
    }

    /// The line address: byte address >> 6, 42 bits; of a later beat only bits 1:0 mean something.
    ///
    /// CCIP-PLT-11: 42 bits.
    public long address() {
        return Header.address(hdrLow);
    }

    /// What the AFU wants back with the response, 16 bits.
    public int mdata() {
        return (int) hdrLow & 0xFFFF;
    }

    /// Of an interrupt: its `id`, 0 to 3.
    public int interruptId() {
        return (int) hdrLow & 3;
    }
}
