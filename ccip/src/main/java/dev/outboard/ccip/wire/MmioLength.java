package dev.outboard.ccip.wire;

/// How many bytes an MMIO request covers (`length`; CCI-P manual 1.3.8.1).
public enum MmioLength {
    /// 4 bytes, on data bits 31:0.
    BYTES_4(0),
    /// 8 bytes, on data bits 63:0.
    BYTES_8(1),
    /// 64 bytes, on all 512 data bits: writes only.
    BYTES_64(2);

    private final int code;

    MmioLength(int code) {
        this.code = code;
    }

    /// What a code of `MMIO length` means.
    ///
    /// CCIP-ENC-12: 4, 8 and 64 bytes.
    ///
    /// @throws IllegalArgumentException for the unused code 3
    public static MmioLength of(int code) {
        return switch (code) {
            case 0 -> BYTES_4;
            case 1 -> BYTES_8;
            case 2 -> BYTES_64;
            default ->
                    throw Reserved.code(
                            "MMIO length", code, "0 (BYTES_4), 1 (BYTES_8), 2 (BYTES_64)");
        };
    }

    /// The bits on the wire.
    public int code() {
        return code;
    }

    /// 4, 8 or 64.
    public int bytes() {
        return this == BYTES_64 ? 64 : 4 << code;
    }
}
