package dev.outboard.ccip.wire;

/// The power the AFU is asked to keep to (`pck_cp2af_pwrState`; CCI-P manual 1.3.11).
public enum PowerState {
    /// Normal operation.
    AP0(0),
    /// Half the throughput of memory requests.
    AP1(1),
    /// A tenth of the throughput of memory requests.
    AP2(3);

    private final int code;

    PowerState(int code) {
        this.code = code;
    }

    /// What a code of `pwrState` means.
    ///
    /// CCIP-ENC-14: code 2 is reserved.
    ///
    /// @throws IllegalArgumentException for a reserved code
    public static PowerState of(int code) {
        return switch (code) {
            case 0 -> AP0;
            case 1 -> AP1;
            case 3 -> AP2;
            default -> throw Reserved.code("pwrState", code, "0 (AP0), 1 (AP1), 3 (AP2)");
        };
    }

    /// The bits on the wire.
    public int code() {
        return code;
    }
}
