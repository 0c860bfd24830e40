package dev.outboard.ccip.platform;

/// Whether the lines of a write are answered by one response or each by its own; the FIU chooses,
/// and an AFU must take both (CCI-P manual 1.3.8.1).
public enum ResponseFormat {
    /// One response on the PCIe channels, one for each line on VL0.
    BY_CHANNEL,
    /// Always one response.
    PACKED,
    /// Always one for each line.
    UNPACKED,
    /// Either, by seed, for each request.
    RANDOM
}
