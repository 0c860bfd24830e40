package dev.outboard.ccip.wire;

/// A virtual channel: which way a memory request takes between the FIU and the processor (`vc_sel`,
/// `vc_used`; CCI-P manual 1.2.2.3, 1.3.10). The ordinal is the code on the wire.
public enum VirtualChannel {
    /// The FIU chooses. Never in a response to a memory request.
    VA,
    /// The low-latency channel over UPI, with the FPGA cache.
    VL0,
    /// The first PCIe channel.
    VH0,
    /// The second PCIe channel.
    VH1;

    private static final VirtualChannel[] ALL = values();

    /// The channel of a code of two bits; all four codes are defined.
    ///
    /// CCIP-ENC-5: the codes of vc_sel and vc_used.
    public static VirtualChannel of(int code) {
        return ALL[code & 3];
    }

    /// The two bits on the wire.
    public int code() {
        return ordinal();
    }
}
