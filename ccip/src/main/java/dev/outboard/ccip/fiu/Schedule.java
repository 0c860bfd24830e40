package dev.outboard.ccip.fiu;

/// Who decides which of the steps that [MemoryPath] allows happens when.
interface Schedule {
    /// Whether this line, the next of its Tx channel, may enter a pool now. Of the first line of a
    /// request it first chooses the physical channel; the others follow it.
    boolean admits(MemoryPath path, int slot);

    /// The line enters the pool of its channel.
    void enter(MemoryPath path, int slot);

    /// The line was written to memory or read from it.
    void drained(MemoryPath path, int slot);

    /// A read or write of which this is the first line has all its responses.
    void completed(MemoryPath path, int first);

    /// Takes the steps of one cycle.
    void clock(MemoryPath path);

    /// The channel of which a line that was read is to be put on the wires now, or [Lines#NONE].
    int delivery(MemoryPath path);

    /// Which of the responses that may be sent is to be put on the wires now, or [Lines#NONE].
    int answer(MemoryPath path);

    /// Lets all lines leave their pools and forgets everything.
    void flush(MemoryPath path);
}
