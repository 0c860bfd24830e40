package dev.outboard.fabric.drive;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// What the poster of a request rings, so that the device looks at the queue pair. Ringing takes no
/// lock: those that have rung stand in a list that the next turn takes.
public abstract class Doorbell {
    private static final VarHandle HAS_RUNG;

    static {
        try {
            HAS_RUNG =
                    MethodHandles.lookup().findVarHandle(Doorbell.class, "hasRung", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /// The engine's: links those that have rung.
    @Nullable Doorbell next;

    @SuppressWarnings("unused") // through HAS_RUNG
    private boolean hasRung;

    /// A turn begins: what was posted is ready to be looked at. While driving.
    protected abstract void ready();

    /// Whether what was posted waits for answers to earlier requests: then the answers bring the
    /// turn that it needs. Poster's thread.
    protected abstract boolean isWaitingForAnswers();

    /// Marks that it has rung; false if it had already. Any thread.
    boolean mark() {
        return HAS_RUNG.compareAndSet(this, false, true);
    }

    void clear() {
        HAS_RUNG.setVolatile(this, false);
    }
}
