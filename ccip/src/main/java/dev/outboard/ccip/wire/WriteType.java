package dev.outboard.ccip.wire;

/// What a request on Tx C1 asks (`req_type`; CCI-P manual 1.3.7).
public enum WriteType {
    /// A write without intent to keep the line in the FPGA cache.
    WRLINE_I(0),
    /// A write that asks to keep the line Modified in the FPGA cache.
    WRLINE_M(1),
    /// A write that pushes the line into the last level cache of the processor.
    WRPUSH_I(2),
    /// A write fence.
    WRFENCE(4),
    /// An interrupt.
    INTR(6);

    private final int code;

    WriteType(int code) {
        this.code = code;
    }

    /// What a code of `C1 req_type` means.
    ///
    /// CCIP-ENC-2: the types of C1 Tx.
    ///
    /// @throws IllegalArgumentException for a reserved code
    public static WriteType of(int code) {
        return switch (code) {
            case 0 -> WRLINE_I;
            case 1 -> WRLINE_M;
            case 2 -> WRPUSH_I;
            case 4 -> WRFENCE;
            case 6 -> INTR;
            default ->
                    throw Reserved.code(
                            "C1 req_type",
                            code,
                            "0 (WRLINE_I), 1 (WRLINE_M), 2 (WRPUSH_I), 4 (WRFENCE), 6 (INTR)");
        };
    }

    /// The bits on the wire.
    public int code() {
        return code;
    }
}
