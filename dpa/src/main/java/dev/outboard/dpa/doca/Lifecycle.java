package dev.outboard.dpa.doca;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// DPA-ERR-18: where an object of a context is: configured first, then started, with a handle and
/// users; stopped, and perhaps started again; closed at last. It is the lock of its object as well,
/// which is taken before that of the context, and before those of objects that its object uses.
final class Lifecycle {
    private final DocaDpa dpa;
    private final String name;
    private volatile @Nullable Holdings holdings;
    private int users;
    private boolean closed;

    /// @param name of the object, for messages
    Lifecycle(DocaDpa dpa, String name) {
        this.dpa = DocaException.nonNull(dpa, "dpa");
        this.name = name;
    }

    DocaDpa context() {
        return dpa;
    }

    /// @throws DocaException with BAD_STATE if it is started or closed
    synchronized void requireIdle() {
        if (closed || holdings != null) {
            throw refuse(DocaError.BAD_STATE, closed ? "is closed" : "is started already");
        }
    }

    /// @throws DocaException with BAD_STATE if it is not started
    synchronized void requireStarted() {
        if (holdings == null) {
            throw refuse(DocaError.BAD_STATE, closed ? "is closed" : "is not started");
        }
    }

    /// Whether it is started. Takes no lock.
    boolean isStarted() {
        return holdings != null;
    }

    /// @param making makes what it has on the DPA; if that fails, all of it is given back
    /// @throws DocaException with BAD_STATE if it is started or closed, or its context is not
    ///   started
    synchronized void start(Consumer<Holdings> making) {
        requireIdle();
        holdings = dpa.add(this, making);
    }

    /// Another object needs it from now on.
    ///
    /// @throws DocaException with BAD_STATE if it is not started, with INVALID_VALUE if that is of
    ///   another context
    synchronized void use(DocaDpa user) {
        requireContext(user);
        requireStarted();
        users++;
    }

    /// @throws DocaException with INVALID_VALUE if it is of another context than its user
    void requireContext(DocaDpa user) {
        if (!dpa.equals(user)) {
            throw refuse(DocaError.INVALID_VALUE, "is of another DPA context than its user");
        }
    }

    /// Another object needs it no more.
    synchronized void release() {
        users--;
    }

    /// Gives back what it has on the DPA.
    ///
    /// DPA-ERR-19: not while other objects use it.
    ///
    /// @return whether it was started
    /// @throws DocaException with IN_USE if others use it; nothing has changed
    synchronized boolean stop() {
        Holdings held = holdings;
        if (held == null) {
            return false;
        }
        if (users > 0) {
            throw refuse(DocaError.IN_USE, "is used by %d other objects".formatted(users));
        }
        dpa.remove(this, held);
        holdings = null;
        return true;
    }

    /// It was stopped, and is given up.
    synchronized void close() {
        closed = true;
    }

    /// What to throw.
    DocaException refuse(DocaError error, String why) {
        return new DocaException(error, "%s %s".formatted(name, why));
    }

    @Override
    public String toString() {
        return name;
    }
}
