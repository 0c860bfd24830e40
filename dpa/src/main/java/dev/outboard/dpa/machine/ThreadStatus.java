package dev.outboard.dpa.machine;

/// What a thread of a process is doing.
///
/// @param unit its execution unit, or -1 if it has none
public record ThreadStatus(String name, State state, int unit) {
    /// What a thread can be doing.
    public enum State {
        /// Nothing has activated it.
        INACTIVE,
        /// It waits for an execution unit.
        WAITING,
        /// It has an execution unit.
        RUNNING,
        /// It will not run any more.
        ENDED
    }
}
