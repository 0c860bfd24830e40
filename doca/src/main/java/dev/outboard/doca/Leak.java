package dev.outboard.doca;

import java.lang.System.Logger.Level;
import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Watches that an object is closed before it becomes unreachable. With the system property
/// [#TRACKING] set to `true` the warning says where the object was created. Any thread.
///
/// DJAVA-API-3: a leak is counted, logged as a warning, and its resources are released.
public final class Leak {
    /// The system property that makes every object created from then on remember where.
    public static final String TRACKING = "dev.outboard.doca.leak-tracking";

    private static final Cleaner CLEANER = Cleaner.create();
    private static final AtomicLong COUNT = new AtomicLong();

    private final State state;
    private final Cleaner.Cleanable cleanable;

    private Leak(Object object, State state) {
        this.state = state;
        this.cleanable = CLEANER.register(object, state);
    }

    /// How many objects of this process were found unreachable without having been closed.
    public static long count() {
        return COUNT.get();
    }

    /// Watches `object`, called `what` in the warning.
    ///
    /// @param release gives its resources back; must not refer to `object`
    static Leak watch(Object object, String what, Runnable release) {
        Throwable created = Boolean.getBoolean(TRACKING) ? new Throwable("created here") : null;
        return new Leak(object, new State(what, created, release));
    }

    /// The object was closed.
    void closed() {
        state.closed = true;
        cleanable.clean();
    }

    /// What outlives the object.
    private static final class State implements Runnable {
        private final String what;
        private final @Nullable Throwable created;
        private final Runnable release;
        private volatile boolean closed;

        State(String what, @Nullable Throwable created, Runnable release) {
            this.what = what;
            this.created = created;
            this.release = release;
        }

        @Override
        public void run() {
            if (closed) {
                return;
            }
            try {
                release.run();
            } finally {
                COUNT.incrementAndGet();
                System.getLogger(Leak.class.getName())
                        .log(Level.WARNING, what + " was never closed" + hint(), created);
            }
        }

        private String hint() {
            return created == null ? "; -D" + TRACKING + "=true tells where it was made" : "";
        }
    }
}
