package dev.outboard.ccip.fiu;

/// Who is told what comes of what was accepted.
interface MemoryEvents {
    /// The memory of an accepted line was unmapped before the line reached it.
    void unmappedInFlight(PendingLine line);

    /// An interrupt reaches the processor.
    void interrupt(int id);
}
