package dev.outboard.ccip.platform;

/// In which order the FIU lets things happen, of all orders that CCI-P allows.
public enum Mode {
    /// One realistic order, from the latency and bandwidth of the links.
    TIMED,
    /// Any order, by seed, and rare ones often; unknown wires carry garbage in every cycle.
    ADVERSARIAL
}
