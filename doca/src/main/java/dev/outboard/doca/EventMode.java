package dev.outboard.doca;

/// Which contexts a progress engine looks at when [ProgressEngine#await] has told of work
/// (`doca_pe_set_event_mode`). Clearing the notification, which C asks for, is part of `await`.
public enum EventMode {
    /// The next [ProgressEngine#progress] passes over the contexts that had no work when `await`
    /// looked; the one after that sees to all.
    SELECTIVE,
    /// Each [ProgressEngine#progress] sees to all.
    ALL
}
