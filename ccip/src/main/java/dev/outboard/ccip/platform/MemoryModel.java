package dev.outboard.ccip.platform;

/// How much order memory traffic has (CCI-P manual 1.3.13).
public enum MemoryModel {
    /// What the manual promises, and no more: a response may come later than what it answers is
    /// visible to others, and responses in any order.
    MANUAL,
    /// What was measured on an integrated platform, and published as a model (Iorga, Donaldson,
    /// Sorensen, Wickerson: The semantics of shared memory in Intel CPU/FPGA systems, OOPSLA 2021):
    /// a response is one step with what it answers. So nobody sees a write before its response is
    /// sent, and responses come in the order of what they answer.
    MEASURED
}
