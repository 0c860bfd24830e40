package dev.outboard.doca;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;

/// A thread that progresses an engine, for those who do not want to own the loop of
/// `doca_pe_progress` (catalog DJAVA-PE-2). All callbacks run on it. Tasks are submitted in
/// callbacks, or, with an engine that is SHARED, on any thread.
///
/// An engine that is CONFINED is taken over from the thread that used it, which must leave it alone
/// then and have nothing in flight. [#close] stops the contexts and ends the thread.
public final class ProgressDriver implements AutoCloseable {
    /// What the thread does while there is nothing to do.
    public enum Idle {
        /// Asks again at once: the lowest latency, for the whole of a processor.
        BUSY,
        /// Asks for a while, then sleeps.
        HYBRID,
        /// Sleeps.
        SLEEP
    }

    private static final Logger LOGGER = System.getLogger(ProgressDriver.class.getName());
    private static final Duration STOP_LIMIT = Duration.ofSeconds(30);
    private static final Duration LONGEST_SLEEP = Duration.ofSeconds(1);

    /// What a spell without work costs at most before HYBRID sleeps; a wake-up costs as much.
    private static final long SPIN_NANOS = 20_000;

    private final ProgressEngine engine;
    private final Idle idle;
    private final Thread thread;
    private volatile boolean closed;

    private ProgressDriver(ProgressEngine engine, Idle idle) {
        this.engine = Objects.requireNonNull(engine, "engine");
        this.idle = Objects.requireNonNull(idle, "idle");
        thread = Thread.ofPlatform().name("progress driver").unstarted(this::run);
    }

    /// Progresses `engine` from now on. What ends the thread before [#close] is in the log: IN_USE
    /// if the engine has tasks in flight on another thread, BAD_STATE if another one progresses it,
    /// TIME_OUT if a context did not become idle.
    public static ProgressDriver start(ProgressEngine engine, Idle idle) {
        ProgressDriver driver = new ProgressDriver(engine, idle);
        driver.thread.start();
        return driver;
    }

    private void run() {
        try {
            engine.rebind();
            while (!closed) {
                if (!engine.progress()) {
                    pause();
                }
            }
            engine.contexts().forEach(ctx -> ctx.stopAndDrain(STOP_LIMIT));
        } catch (InterruptedException | DocaException e) {
            LOGGER.log(Level.ERROR, "the progress driver ends: " + e.getMessage(), e);
        }
    }

    private void pause() throws InterruptedException {
        if (idle == Idle.HYBRID) {
            long start = System.nanoTime();
            while (System.nanoTime() - start < SPIN_NANOS) {
                if (engine.progress()) {
                    return;
                }
            }
        }
        if (idle != Idle.BUSY) {
            engine.await(LONGEST_SLEEP);
        }
    }

    /// Stops the contexts of the engine, which stays open, and ends the thread. The callbacks have
    /// to free the tasks that are flushed. Closing twice is harmless.
    ///
    /// @throws DocaException with BAD_STATE if called in a callback
    @Override
    public void close() {
        if (Thread.currentThread().equals(thread)) {
            throw new DocaException(
                    DocaError.BAD_STATE, "a callback cannot close the driver that runs it");
        }
        closed = true;
        engine.wake();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
