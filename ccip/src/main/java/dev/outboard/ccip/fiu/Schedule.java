package dev.outboard.ccip.fiu;

import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.VirtualChannel;

/// Who decides which of the steps that [MemoryPath] allows happens when.
interface Schedule {
    /// No channel, no position.
    int NONE = -1;

    /// The channels that have a link, by code.
    static int[] channels(Profile profile) {
        return profile.channels().stream().mapToInt(VirtualChannel::code).toArray();
    }

    /// Whether this line, the next of its Tx channel, may enter a pool now. Of the first line of a
    /// request it first chooses the physical channel; the others follow it.
    boolean admits(PendingLine line);

    /// The line enters the pool of its channel.
    void enter(PendingLine line);

    /// The line was written to memory or read from it.
    void drained(PendingLine line);

    /// A read or write of which this is the first line has all its responses.
    void completed(PendingLine first);

    /// Takes the steps of one cycle.
    void clock(MemoryPath path);

    /// The channel of which a line that was read is to be put on the wires now, or [#NONE].
    int delivery(MemoryPath path);

    /// Which of the responses that may be sent is to be put on the wires now, or [#NONE].
    int answer(MemoryPath path);

    /// Lets all lines leave their pools and forgets everything.
    void flush(MemoryPath path);
}
