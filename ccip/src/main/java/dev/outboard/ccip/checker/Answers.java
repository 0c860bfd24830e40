package dev.outboard.ccip.checker;

/// Which requests the responses of a cycle answer. This is not on the wires, where `mdata` need not
/// be unique: it is what the FIU says of itself, for traces and for the checker.
///
/// Requests are counted from 0 per channel since power-up, in the order of the wires, those that
/// the FIU refuses too. On C0 every valid beat is a request; on C1 every valid beat is one that
/// does not continue an open burst ([C1Framing]).
public final class Answers {
    /// Answers nothing.
    public static final long NONE = -1;

    /// The C0 request that the read response on Rx C0 answers, or [#NONE].
    public long c0Request = NONE;

    /// The C1 request that the response on Rx C1 answers, or [#NONE].
    public long c1Request = NONE;

    /// Answers to nothing.
    public Answers() {}
}
