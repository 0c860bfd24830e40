package dev.outboard.naa.server;

import java.util.concurrent.atomic.AtomicInteger;

/// Who uses the routines of one offer of a server: the server itself, until it offers others, and
/// every call that was admitted to one of them and has neither ended nor been given up before it
/// began. Any thread may call.
final class RoutineUsers {
    private final AtomicInteger count = new AtomicInteger(1);
    private volatile Runnable whenUnused = () -> {};

    /// A call begins to use them.
    ///
    /// @return false if nobody used them any more: the server offers others
    boolean enter() {
        return count.getAndUpdate(users -> users == 0 ? 0 : users + 1) > 0;
    }

    /// A call uses them no more.
    void leave() {
        if (count.decrementAndGet() == 0) {
            whenUnused.run();
        }
    }

    /// The server offers others. Called once.
    ///
    /// @param action runs when the last call has left
    void retire(Runnable action) {
        whenUnused = action;
        leave();
    }
}
