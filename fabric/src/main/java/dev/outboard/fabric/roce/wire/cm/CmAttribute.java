package dev.outboard.fabric.roce.wire.cm;

import java.util.Optional;

/// The messages of the communication management class by their MAD attribute ID.
public enum CmAttribute {
    REQ(0x10),
    MRA(0x11),
    REJ(0x12),
    REP(0x13),
    RTU(0x14),
    DREQ(0x15),
    DREP(0x16),
    SIDR_REQ(0x17),
    SIDR_REP(0x18),
    /// Load alternate path; not decoded.
    LAP(0x19),
    /// Alternate path response; not decoded.
    APR(0x1A);

    private final int code;

    CmAttribute(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    public static Optional<CmAttribute> of(int code) {
        int index = code - REQ.code;
        return index >= 0 && index < values().length
                ? Optional.of(values()[index])
                : Optional.empty();
    }
}
