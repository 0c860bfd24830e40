package dev.outboard.ccip.litmus;

/// A step of the program of an AFU. Channels are as in the scenario: named or left open.
sealed interface AfuStep {
    /// A request, which is answered.
    sealed interface Request extends AfuStep {}

    /// Reads lines into as many registers, the first of which is named.
    record Read(String channel, int line, int lines, int register) implements Request {}

    /// Writes lines, each with the same value.
    record Write(String channel, int line, int lines, long value) implements Request {}

    /// A write fence.
    record Fence(String channel) implements Request {}

    /// An interrupt.
    record Interrupt(int id) implements Request {}

    /// Waits for all responses to the request before, or to all requests before.
    record Wait(boolean all) implements AfuStep {}
}
