package dev.outboard.ccip.fiu;

/// Who is told what comes of what was accepted.
interface MemoryEvents {
    /// The memory of an accepted line was unmapped before the line reached it.
    void unmappedInFlight(PendingLine line);

    /// A line of a write is at the point of observation of its channel, or an interrupt is sent on.
    void committed(PendingLine line);

    /// A line was written to memory or read from it.
    void reachedMemory(PendingLine line);

    /// An interrupt reaches the processor.
    void interrupt(int id);
}
