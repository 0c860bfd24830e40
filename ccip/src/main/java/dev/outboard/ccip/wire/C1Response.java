package dev.outboard.ccip.wire;

/// What a response on Rx C1 is (`resp_type`; CCI-P manual 1.3.8.1).
public enum C1Response {
    /// A write has reached the observation point of its channel.
    WRLINE(0),
    /// A fence is done.
    WRFENCE(4),
    /// An interrupt was issued.
    INTR(6);

    private final int code;

    C1Response(int code) {
        this.code = code;
    }

    /// What a code of `C1 resp_type` means.
    ///
    /// CCIP-ENC-4: the types of C1 Rx.
    ///
    /// @throws IllegalArgumentException for a reserved code
    public static C1Response of(int code) {
        return switch (code) {
            case 0 -> WRLINE;
            case 4 -> WRFENCE;
            case 6 -> INTR;
            default ->
                    throw Reserved.code("C1 resp_type", code, "0 (WRLINE), 4 (WRFENCE), 6 (INTR)");
        };
    }

    /// The bits on the wire.
    public int code() {
        return code;
    }
}
