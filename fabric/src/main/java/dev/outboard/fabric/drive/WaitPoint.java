package dev.outboard.fabric.drive;

import dev.outboard.fabric.NotificationHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Where one thread at a time waits until it is notified, by whoever drives or by anybody else. A
/// notification stays until it is taken or forgotten.
public final class WaitPoint {
    private final Drivers drivers;
    private volatile boolean notified;
    private volatile @Nullable Thread sleeper;
    private volatile @Nullable NotificationHandle handle;
    private volatile boolean closed;

    /// A wait point of the device that `drivers` drive.
    public WaitPoint(Drivers drivers) {
        this.drivers = drivers;
        drivers.add(this);
    }

    /// Ends the current wait, or else the next one. Any thread.
    public void wake() {
        notified = true;
        NotificationHandle attached = handle;
        if (attached != null) {
            attached.signal();
        }
        endWait();
    }

    /// Each notification signals `handle`, one that is there already at once.
    public void attach(NotificationHandle attached) {
        handle = attached;
        if (notified) {
            attached.signal();
        }
    }

    /// Whether it was notified since the last call of this.
    public boolean takeNotified() {
        boolean was = notified;
        if (was) {
            notified = false;
        }
        return was;
    }

    /// Whether there is a notification.
    public boolean isNotified() {
        return notified;
    }

    /// Only what happens from now on counts.
    public void forget() {
        notified = false;
    }

    /// Whether waiting is over for good.
    public boolean isClosed() {
        return closed;
    }

    /// Ends a wait for good.
    public void close() {
        drivers.remove(this);
        abandon();
    }

    /// Ends a wait for good; whoever drives does so.
    public void abandon() {
        closed = true;
        endWait();
    }

    private void endWait() {
        if (!unpark()) {
            drivers.notified(this);
        }
    }

    /// Sleeps until [#unpark], at most `nanos`; may return early.
    ///
    /// @param mayPark asked when others find the sleeper already: what changes later must wake it
    void park(long nanos, BooleanSupplier mayPark) {
        sleeper = Thread.currentThread();
        if (!notified && !closed && mayPark.getAsBoolean()) {
            LockSupport.parkNanos(this, nanos);
        }
        sleeper = null;
    }

    /// Wakes the thread in [#park] if it may lead; false if there is no such thread.
    boolean unparkToLead() {
        Thread thread = sleeper;
        return thread != null && !thread.isVirtual() && unpark();
    }

    /// Wakes the thread in [#park]; false if there is none.
    private boolean unpark() {
        Thread thread = sleeper;
        if (thread == null) {
            return false;
        }
        LockSupport.unpark(thread);
        return true;
    }
}
