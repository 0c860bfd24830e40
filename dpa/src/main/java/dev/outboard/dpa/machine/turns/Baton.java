package dev.outboard.dpa.machine.turns;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Makes threads of Java act one at a time: only who holds the baton acts. Handing it over makes
/// all that the former holder has done visible to the next one.
final class Baton {
    private volatile @Nullable Thread holder;

    /// Hands it over.
    void pass(Thread next) {
        holder = next;
        LockSupport.unpark(next);
    }

    /// Waits until the calling thread holds it.
    void await() {
        Thread self = Thread.currentThread();
        while (!self.equals(holder)) {
            LockSupport.park(this);
        }
    }
}
