package dev.outboard.ccip.fiu;

/// Who is told what comes of what was accepted.
interface MemoryEvents {
    /// The memory of an accepted line was unmapped before the line reached it.
    void unmappedInFlight(Lines lines, int slot);

    /// An interrupt reaches the processor.
    void interrupt(int id);
}
