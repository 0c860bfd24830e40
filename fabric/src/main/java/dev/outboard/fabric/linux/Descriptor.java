package dev.outboard.fabric.linux;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/// A file descriptor that several threads use and any thread may close. The kernel hands out the
/// number of a closed descriptor again at once, so the last user, not [#close], closes it while
/// somebody is inside a system call.
///
/// ```java
/// int fd = descriptor.acquire();
/// try {
///     …
/// } finally {
///     descriptor.release();
/// }
/// ```
public final class Descriptor implements AutoCloseable {
    /// Set by [#close]; the bits below count the users.
    private static final int CLOSING = Integer.MIN_VALUE;

    /// Set, besides, by the one thread that closed the descriptor.
    private static final int CLOSED = CLOSING | 1 << 30;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Descriptor.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int fd;
    private final String description;

    @SuppressWarnings("unused") // through STATE
    private volatile int state;

    /// Takes over `fd`; `description` names it in exceptions.
    public Descriptor(int fd, String description) {
        this.fd = fd;
        this.description = description;
    }

    /// The descriptor, which stays open until the matching [#release].
    ///
    /// @throws IllegalStateException if it is closed
    public int acquire() {
        if ((int) STATE.getAndAdd(this, 1) < 0) {
            release();
            throw new IllegalStateException(description + " is closed");
        }
        return fd;
    }

    public void release() {
        if ((int) STATE.getAndAdd(this, -1) - 1 == CLOSING) {
            closeOnce();
        }
    }

    @Override
    public void close() {
        if ((int) STATE.getAndBitwiseOr(this, CLOSING) == 0) {
            closeOnce();
        }
    }

    private void closeOnce() {
        if (STATE.compareAndSet(this, CLOSING, CLOSED)) {
            Libc.close(fd);
        }
    }

    @Override
    public String toString() {
        return description;
    }
}
