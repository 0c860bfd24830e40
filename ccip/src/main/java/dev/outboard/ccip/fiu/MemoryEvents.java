package dev.outboard.ccip.fiu;

/// Who is told what comes of what was accepted.
interface MemoryEvents {
    /// The memory of an accepted request was unmapped before these lines reached it.
    void unmappedInFlight(PendingRequest request, int lines);

    /// Lines of a write are at the point of observation of its channel, or an interrupt is sent on.
    void committed(PendingRequest request);

    /// Lines were written to memory or read from it.
    void reachedMemory(PendingRequest request, int lines);

    /// An interrupt reaches the processor.
    void interrupt(int id);
}
