package dev.outboard.fabric.drive;

/// What a device is made of, without thread, clock or network: time comes in, and the next deadline
/// goes out. One thread at a time drives it.
///
/// ```java
/// boolean worked = machine.turn(now, true, false);
/// if (!worked && !machine.hasMore()) {
///     sleep until something comes or machine.deadlineNanos()
/// }
/// ```
public interface Machine {
    /// Takes what has come if asked to, tells whose deadline has passed, and sends.
    ///
    /// A thread that looks for completions usually posts when it gets one. So what may ride behind
    /// a request can wait for a later turn.
    ///
    /// @param looks whether an application's thread takes the turn, looking for completions
    /// @return whether there was something to do
    boolean turn(long nowNanos, boolean receives, boolean looks);

    /// Sends only, after an operation that changed something.
    ///
    /// @return whether there was something to do
    boolean finishTurn(long nowNanos);

    /// Whether there is more to do at once.
    boolean hasMore();

    /// Whether something waits for what a thread that looks does next: its next turns end that.
    boolean isDeferring();

    /// When it wants a turn at the latest; [Long#MAX_VALUE] for never.
    long deadlineNanos();
}
