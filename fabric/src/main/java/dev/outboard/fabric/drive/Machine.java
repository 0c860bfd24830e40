package dev.outboard.fabric.drive;

import dev.outboard.fabric.verbs.CompletionRing;
import org.jspecify.annotations.Nullable;

/// What a device is made of, without thread, clock or network: time comes in, and the next deadline
/// goes out. One thread at a time drives it.
///
/// ```java
/// boolean worked = machine.turn(now, true, null);
/// if (!worked && !machine.hasMore()) {
///     sleep until something comes or machine.deadlineNanos()
/// }
/// ```
public interface Machine {
    /// Takes what has come if asked to, tells whose deadline has passed, and sends.
    ///
    /// If the turn brings a completion that is `wanted`, whoever wants it usually posts at once. So
    /// what may ride behind a request can wait for the next turn.
    ///
    /// @param wanted where a thread wants a completion, if it does
    /// @return whether there was something to do
    boolean turn(long nowNanos, boolean receives, @Nullable CompletionRing wanted);

    /// Sends only, after an operation that changed something.
    ///
    /// @return whether there was something to do
    boolean finishTurn(long nowNanos);

    /// Whether there is more to do at once.
    boolean hasMore();

    /// When it wants a turn at the latest; [Long#MAX_VALUE] for never.
    long deadlineNanos();
}
