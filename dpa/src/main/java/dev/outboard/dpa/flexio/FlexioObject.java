package dev.outboard.dpa.flexio;

import dev.outboard.dpa.flexio.FlexioException.Reason;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Something that a process of the host has made on the DPA. It lives until it is closed, or its
/// process is; what processes share, until their host process is.
public abstract class FlexioObject implements AutoCloseable {
    /// DPA-FXQ-11: what stands for the number of an object that is gone.
    public static final int NO_NUMBER = -1;

    /// Null for an object of the host process itself.
    private final @Nullable FlexioProcess process;

    private final Object lock;
    private final String kind;
    private final int number;
    private int users;
    private boolean closed;

    FlexioObject(FlexioProcess process, String kind, int number) {
        this.process = process;
        lock = process;
        this.kind = kind;
        this.number = number;
    }

    /// One that processes of the host share.
    FlexioObject(String kind, int number) {
        process = null;
        lock = new Object();
        this.kind = kind;
        this.number = number;
    }

    FlexioProcess process() {
        return Objects.requireNonNull(process, "an object of no process");
    }

    /// Whether that process may use it.
    boolean isFor(FlexioProcess user) {
        return user.equals(process);
    }

    /// DPA-FXQ-11: what device code and queue entries call it by.
    ///
    /// @return all ones if it has been closed
    public final int number() {
        synchronized (lock) {
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
        synchronized (lock) {
            if (closed) {
                throw FlexioException.refuse(
                        Reason.DESTROYED, "%s has been closed".formatted(this));
            }
            if (!isFor(user)) {
                String owner =
                        process == null ? "another host process or device" : process.toString();
                throw FlexioException.refuse(
                        Reason.FOREIGN, "%s belongs to %s, not to %s".formatted(this, owner, user));
            }
            return number;
        }
    }

    /// Another object of the same process needs it from now on.
    final void acquire(FlexioProcess user) {
        synchronized (lock) {
            numberFor(user);
            users++;
        }
    }

    /// Another object needs it no more.
    final void release() {
        synchronized (lock) {
            users--;
        }
    }

    /// DPA-SYS-12: destroys it, unless another object uses it. A second time does nothing.
    ///
    /// @throws FlexioException if another object uses it; then nothing has changed
    @Override
    public final void close() {
        synchronized (lock) {
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
        if (process != null) {
            process.forget(this);
        }
        destroy();
    }

    /// Its process ends: it goes whoever uses it.
    final void abandon() {
        synchronized (lock) {
            closed = true;
        }
        leave();
    }

    /// It is gone, and no longer uses what may live longer than its process.
    void leave() {
        // Most need nothing else.
    }

    /// Gives back what it has on the device.
    abstract void destroy();

    @Override
    public final String toString() {
        return "%s %d".formatted(kind, number);
    }
}
