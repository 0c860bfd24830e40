package dev.outboard.ccip.fiu;

import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.VirtualChannel;

/// Who decides which of the steps that [MemoryPath] allows happens when.
interface Schedule {
    /// No channel, no position.
    int NONE = -1;

    /// The channels that have a link, by code.
    ///
    /// CCIP-PLT-13, CCIP-PLT-14: the links that VA leads to.
    static int[] channels(Profile profile) {
        return profile.channels().stream().mapToInt(VirtualChannel::code).toArray();
    }

    /// Whether this request, the next of its Tx channel, may enter a pool now, or more of its
    /// lines. It first chooses the physical channel.
    boolean admits(PendingRequest request);

    /// Lines of a request enter the pool of its channel.
    void enter(PendingRequest request, int lines);

    /// Lines were written to memory or read from it.
    void drained(PendingRequest request, int lines);

    /// A read or write has all its responses.
    void completed(PendingRequest request);

    /// Takes the steps of one cycle.
    void clock(MemoryPath path);

    /// The channel of which a line that was read is to be put on the wires now, or [#NONE].
    int delivery(MemoryPath path);

    /// Which of the responses that may be sent is to be put on the wires now, or [#NONE].
    int answer(MemoryPath path);

    /// Lets all lines leave their pools and forgets everything.
    void flush(MemoryPath path);
}
