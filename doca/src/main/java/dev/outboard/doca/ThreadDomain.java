package dev.outboard.doca;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Which threads may use a progress engine, its contexts and their tasks, as its [ThreadMode] says:
/// one, the first that submits or progresses, or any, one at a time and in their order: one that
/// progresses on and on keeps nobody out.
final class ThreadDomain {
    private final @Nullable ReentrantLock lock;
    private @Nullable Thread owner;

    ThreadDomain(ThreadMode mode) {
        lock = mode == ThreadMode.SHARED ? new ReentrantLock(true) : null;
    }

    /// The current thread uses it until [#exit].
    ///
    /// DCORE-THR-1, DCORE-THR-2, DFLT-39: CONFINED refuses other threads, SHARED lets one in.
    ///
    /// @throws DocaException with BAD_STATE if it may not
    void enter() {
        if (lock != null) {
            lock.lock();
        } else if (owner != null && !owner.equals(Thread.currentThread())) {
            throw new DocaException(
                    DocaError.BAD_STATE,
                    "the progress engine is confined to "
                            + owner
                            + "; rebind() it while nothing is in flight, or create it SHARED");
        }
    }

    void exit() {
        if (lock != null) {
            lock.unlock();
        }
    }

    /// The current thread submits or progresses: with CONFINED it is the only one from now on.
    ///
    /// DCORE-THR-2: to the first that submits or progresses.
    void bind() {
        if (owner == null && lock == null) {
            owner = Thread.currentThread();
        }
    }

    /// With CONFINED: it belongs to `newOwner` from now on; null leaves it to the next that comes.
    ///
    /// @param inFlight tasks of the present owner
    /// @throws DocaException with IN_USE if there are any
    void rebind(@Nullable Thread newOwner, int inFlight) {
        if (lock != null) {
            return;
        }
        if (inFlight > 0) {
            throw new DocaException(
                    DocaError.IN_USE,
                    "the progress engine has " + inFlight + " tasks in flight on " + owner);
        }
        owner = newOwner;
    }
}
