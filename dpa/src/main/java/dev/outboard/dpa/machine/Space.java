package dev.outboard.dpa.machine;

/// DPA-MEM-5: a memory space, as fences name them. HEAP is part of MEMORY; SYSTEM is MEMORY and
/// MMIO together.
public enum Space {
    /// The heap of the process.
    HEAP,
    /// All memory of the process: stacks, heap and globals.
    MEMORY,
    /// What is reached outside the process: windows and the outbox.
    MMIO,
    /// All of it.
    SYSTEM
}
