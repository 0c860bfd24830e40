package dev.outboard.fabric.drive;

import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/// Decides who drives an [Engine] while applications poll and wait, so that somebody always does.
/// Any thread calls.
public interface Drivers extends AutoCloseable {
    /// `point` is one where threads wait from now on.
    void add(WaitPoint point);

    /// Nobody waits at `point` any more.
    void remove(WaitPoint point);

    /// Takes a turn for an application's thread, which looks for completions or events.
    ///
    /// @return whether there was something to do
    boolean drive();

    /// Waits until `point` is notified.
    ///
    /// @return whether it is notified; false if the time is over or the device closed
    boolean await(WaitPoint point, long timeoutNanos);

    /// Waits for an element of `queue`, which somebody adds while driving.
    ///
    /// @return null if the time is over
    <T> @Nullable T take(BlockingQueue<T> queue, long timeoutNanos);

    /// Whether time passes as applications look and wait, and not by itself.
    default boolean passesTime() {
        return false;
    }

    /// `point` was notified by the current thread, and no thread sleeps in it.
    void notified(WaitPoint point);

    /// Ends all waits; nobody drives when this returns.
    @Override
    void close();
}
