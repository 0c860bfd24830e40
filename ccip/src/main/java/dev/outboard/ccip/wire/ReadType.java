package dev.outboard.ccip.wire;

/// What a request on Tx C0 asks (`req_type`; CCI-P manual 1.3.7).
public enum ReadType {
    /// A read that does not ask to cache the line.
    RDLINE_I(0),
    /// A read that asks to keep the line Shared in the FPGA cache.
    RDLINE_S(1);

    private final int code;

    ReadType(int code) {
        this.code = code;
    }

    /// What a code of `C0 req_type` means.
    ///
    /// CCIP-ENC-1: the types of C0 Tx.
    ///
    /// @throws IllegalArgumentException for a reserved code
    public static ReadType of(int code) {
        return switch (code) {
            case 0 -> RDLINE_I;
            case 1 -> RDLINE_S;
            default -> throw Reserved.code("C0 req_type", code, "0 (RDLINE_I), 1 (RDLINE_S)");
        };
    }

    /// The bits on the wire.
    public int code() {
        return code;
    }
}
