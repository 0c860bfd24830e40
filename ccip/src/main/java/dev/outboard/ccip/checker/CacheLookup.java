package dev.outboard.ccip.checker;

/// What the FPGA cache did for one line of a request. Like [Answers] it is not on the wires, but
/// the FIU's own word.
///
/// It is filled anew for each lookup.
public final class CacheLookup {
    /// No request of the AFU, no victim.
    public static final long NONE = -1;

    /// The number of the request on its Tx channel, as in [Answers], or [#NONE] if the FIU itself
    /// reads.
    public long request = NONE;

    /// Which line of the request, from 0.
    public int line;

    /// The line address.
    public long address;

    /// The address of the line that had to make room, or [#NONE].
    public long victim = NONE;

    /// What was found, and what came of it.
    public CacheTransition transition;

    /// A lookup with this outcome.
    public CacheLookup(CacheTransition transition) {
        this.transition = transition;
    }
}
