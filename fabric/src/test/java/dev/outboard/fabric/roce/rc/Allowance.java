package dev.outboard.fabric.roce.rc;

/// Where our machines send something else than soft-RoCE on purpose.
enum Allowance {
    /// A replayed READ starts with FIRST or ONLY; soft-RoCE goes on with the opcodes of the first
    /// answer (roce.md 3.7).
    REPLAY_STARTS_ANEW,
    /// A SEND longer than the receive is an invalid request; soft-RoCE reports a remote operational
    /// error (roce.md 3.6).
    TOO_LONG_IS_INVALID,
    /// A request asks for an acknowledgement that soft-RoCE did not ask for: at the end of a
    /// window, or because it is a repetition (roce.md 3.4).
    ASKS_MORE_OFTEN,
    /// The captured application disconnected before its queue pair had answered the last request.
    TORN_DOWN,
    /// What the network lost is not in the capture, and what was repeated when is a matter of
    /// timers: packets are compared by what they carry, not by their number.
    LOSSES
}
