package dev.outboard.ccip.host;

/// How a processor treats accesses to a mapping of registers (CCI-P manual 1.3.13.2).
public enum MemoryType {
    /// Uncacheable: every access reaches the AFU, in program order. The common case.
    UC,
    /// Write-combining: stores are delayed, joined and reordered until a store fence or an access
    /// to an uncacheable mapping. For data, where order does not matter.
    WC
}
