package dev.outboard.doca;

/// How a task ended, for those who prefer a `switch` to [Task#status].
///
/// DJAVA-API-6: these three are all, so that a `switch` is exhaustive.
///
/// DJAVA-PERF-2: made when asked for; the accessors of a task need none.
public sealed interface Completion {
    /// It did what it should.
    record Success() implements Completion {}

    /// It did not.
    ///
    /// @param status never SUCCESS
    record Failed(DocaError status, FailureCause cause) implements Completion {}

    /// It was in flight when its context stopped or its connection ended (status BAD_STATE).
    record Flushed() implements Completion {}
}
