package dev.outboard.naa.link;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/// Lets one thread at a time in, without a lock: who comes second is refused, not kept waiting.
///
/// ```java
/// try (Turn _ = turn.take()) { … }
/// ```
///
/// A turn may be given back by another thread than the one that took it.
///
/// NAA-API-3: for clients, and for the connections of a server.
public final class Turn implements AutoCloseable {
    private static final long RETRY_NANOS = 1_000_000;

    private final String what;
    private final AtomicBoolean taken = new AtomicBoolean();
    private final AtomicBoolean ended = new AtomicBoolean();

    /// @param what what the turns are for, for messages
    public Turn(String what) {
        this.what = what;
    }

    /// Takes the turn.
    ///
    /// @throws IllegalStateException if another call has it, or it was ended
    public Turn take() {
        if (ended.get()) {
            throw new IllegalStateException(what + " is closed (state DISCONNECTED)");
        }
        if (!taken.compareAndSet(false, true)) {
            throw new IllegalStateException(
                    what + " is in use by another call; one at a time is possible");
        }
        return this;
    }

    /// Gives the turn back.
    @Override
    public void close() {
        taken.setRelease(false);
    }

    /// Whether [#end] was called: whoever has the turn gives it back soon.
    public boolean isEnded() {
        return ended.get();
    }

    /// Takes the turn for ever, as soon as it is given back.
    ///
    /// @param hurry called again and again until then
    /// @return false if it was ended before
    public boolean end(Runnable hurry) {
        if (!ended.compareAndSet(false, true)) {
            return false;
        }
        while (!taken.compareAndSet(false, true)) {
            hurry.run();
            LockSupport.parkNanos(RETRY_NANOS);
        }
        return true;
    }
}
