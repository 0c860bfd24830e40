package dev.outboard.naa.client;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Where one thread at a time waits to be woken; a waking that comes before counts too:
///
/// ```java
/// sleeper.reset();
/// if (nothing to do) {
///     sleeper.sleep(nanos);
/// }
/// ```
final class Sleeper {
    private volatile boolean isWoken;
    private volatile @Nullable Thread thread;

    /// Forgets earlier wakings.
    void reset() {
        isWoken = false;
    }

    boolean isWoken() {
        return isWoken;
    }

    /// Wakes the thread that sleeps or is about to. Any thread.
    void wake() {
        isWoken = true;
        nudge();
    }

    /// Makes the thread look around, though there is nothing for it.
    void nudge() {
        Thread sleeping = thread;
        if (sleeping != null) {
            LockSupport.unpark(sleeping);
        }
    }

    /// Sleeps until woken or nudged, at most `nanos`; may return early.
    ///
    /// @param unless asked last: does not sleep if it says so
    void sleep(long nanos, BooleanSupplier unless) {
        thread = Thread.currentThread();
        if (!isWoken && !unless.getAsBoolean()) {
            LockSupport.parkNanos(this, nanos);
        }
        thread = null;
    }
}
