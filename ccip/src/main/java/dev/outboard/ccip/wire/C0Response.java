package dev.outboard.ccip.wire;

/// What a response on Rx C0 is (`resp_type`; CCI-P manual 1.3.8.1).
public enum C0Response {
    /// A line that was read.
    RDLINE(0),
    /// A UMsg or its hint.
    UMSG(4);

    private final int code;

    C0Response(int code) {
        this.code = code;
    }

    /// What a code of `C0 resp_type` means.
    ///
    /// @throws IllegalArgumentException for a reserved code
    public static C0Response of(int code) {
        return switch (code) {
            case 0 -> RDLINE;
            case 4 -> UMSG;
            default -> throw Reserved.code("C0 resp_type", code, "0 (RDLINE), 4 (UMSG)");
        };
    }

    /// The bits on the wire.
    public int code() {
        return code;
    }
}
