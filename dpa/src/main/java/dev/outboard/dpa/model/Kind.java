package dev.outboard.dpa.model;

/// Where a pending write goes.
public enum Kind {
    /// The heap.
    HEAP,
    /// DPA memory outside the heap.
    MEMORY,
    /// External memory, through a window.
    WINDOW,
    /// A register of the outbox.
    OUTBOX;

    /// Whether it is DPA memory.
    boolean isMemory() {
        return this == HEAP || this == MEMORY;
    }
}
