package dev.outboard.naa.link;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/// Who of this process may poll before sleeping: a thread that gets a processor for it without
/// keeping it from others.
///
/// ```java
/// if (Polling.begin()) {
///     try { … } finally { Polling.end(); }
/// }
/// ```
public final class Polling {
    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

    /// One processor is left to the peer, or to who drives.
    private static final int MOST = PROCESSORS - 1;

    /// Where more threads wait for answers, those whose answer has come need all processors.
    private static final int CROWD = 2 * PROCESSORS;

    private static final AtomicInteger WAITING = new AtomicInteger();
    private static final AtomicInteger THREADS = new AtomicInteger();

    private Polling() {}

    /// How long to poll where `wanted` is: on one processor that only delays the peer.
    public static long nanos(Duration wanted) {
        return MOST > 0 ? wanted.toNanos() : 0;
    }

    /// The current thread waits for an answer, polling or asleep, until [#waited].
    public static void waiting() {
        WAITING.incrementAndGet();
    }

    /// The current thread waits no more.
    public static void waited() {
        WAITING.decrementAndGet();
    }

    /// Whether the current thread may poll, until [#end]. A virtual thread may not: others want its
    /// carrier.
    public static boolean begin() {
        if (Thread.currentThread().isVirtual() || WAITING.get() > CROWD) {
            return false;
        }
        boolean begins = THREADS.incrementAndGet() <= MOST;
        if (!begins) {
            THREADS.decrementAndGet();
        }
        return begins;
    }

    /// The thread that began does not poll any more.
    public static void end() {
        THREADS.decrementAndGet();
    }
}
