package dev.outboard.dpa.flexio;

import dev.outboard.dpa.flexio.FlexioException.Reason;

/// Something that a process of the host has made on the DPA. It lives until it is closed, or its
/// process is.
public abstract class FlexioObject implements AutoCloseable {
    /// DPA-FXQ-11: what stands for the number of an object that is gone.
    public static final int NO_NUMBER = -1;

    private final FlexioProcess process;
    private final String kind;
    private final int number;
    private int users;
    private boolean closed;

    FlexioObject(FlexioProcess process, String kind, int number) {
        this.process = process;
        this.kind = kind;
        this.number = number;
    }

    FlexioProcess process() {
        return process;
    }

    /// DPA-FXQ-11: what device code and queue entries call it by.
    ///
    /// @return all ones if it has been closed
    public final int number() {
        synchronized (process) {
            return closed ? NO_NUMBER : number;
        }
    }

    /// The same also after it has been closed.
    final int ownNumber() {
        return number;
    }

    /// The same while it lives.
    ///
    /// @throws FlexioException if it has been closed, or belongs to another process
    final int numberFor(FlexioProcess user) {
        synchronized (process) {
            if (closed) {
                throw FlexioException.refuse(
                        Reason.DESTROYED, "%s has been closed".formatted(this));
            }
            if (!process.equals(user)) {
                throw FlexioException.refuse(
                        Reason.FOREIGN,
                        "%s belongs to %s, not to %s".formatted(this, process, user));
            }
            return number;
        }
    }

    /// Another object of the same process needs it from now on.
    final void acquire(FlexioProcess user) {
        synchronized (process) {
            numberFor(user);
            users++;
        }
    }

    /// Another object needs it no more.
    final void release() {
        synchronized (process) {
            users--;
        }
    }

    /// DPA-SYS-12: destroys it, unless another object uses it. A second time does nothing.
    ///
    /// @throws FlexioException if another object uses it; then nothing has changed
    @Override
    public final void close() {
        synchronized (process) {
            if (closed) {
                return;
            }
            if (users > 0) {
                throw FlexioException.refuse(
                        Reason.IN_USE,
                        "%s is used by %d other objects: close them first".formatted(this, users));
            }
            closed = true;
        }
        process.forget(this);
        destroy();
    }

    /// Its process ends: it goes whoever uses it.
    final void abandon() {
        synchronized (process) {
            closed = true;
        }
    }

    /// Gives back what it has on the device.
    abstract void destroy();

    @Override
    public final String toString() {
        return "%s %d".formatted(kind, number);
    }
}
