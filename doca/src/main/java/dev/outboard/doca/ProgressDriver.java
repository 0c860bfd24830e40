package dev.outboard.doca;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;

/// A thread that progresses an engine, for those who do not want to own the loop of
/// `doca_pe_progress`. Tasks are submitted in callbacks, or, with an engine that is SHARED, on any
/// thread.
///
/// DJAVA-PE-2: all callbacks run on the driver's thread.
///
/// An engine that is CONFINED is taken over from the thread that used it, until [#close], which
/// stops the contexts and ends the thread.
///
/// ```java
/// try (ProgressEngine engine = ProgressEngine.create(ThreadMode.SHARED);
///         Rdma rdma = new Rdma(dev).send(16).attach(engine);
///         ProgressDriver driver = ProgressDriver.start(engine, Idle.HYBRID)) {
///     …
///     peer.allocSend(message).submitAsync().join();
/// }
/// ```
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

    /// What a spell without work costs at most before a thread sleeps; a wake-up costs as much.
    static final long SPIN_NANOS = 20_000;

    private final ProgressEngine engine;
    private final Idle idle;
    private final Thread thread;
    private volatile boolean closed;

    private ProgressDriver(ProgressEngine engine, Idle idle) {
        this.engine = DocaException.nonNull(engine, "engine");
        this.idle = DocaException.nonNull(idle, "idle");
        thread = Thread.ofPlatform().name("progress driver").unstarted(this::run);
    }

    /// Progresses `engine` from now on. What goes wrong on the thread is in the log: BAD_STATE if
    /// another one progresses the engine or waits for it, TIME_OUT if a context does not stop.
    ///
    /// @throws DocaException with IN_USE if it has a driver, or is CONFINED and has tasks in
    ///   flight; with BAD_STATE if it is closed
    public static ProgressDriver start(ProgressEngine engine, Idle idle) {
        ProgressDriver driver = new ProgressDriver(engine, idle);
        engine.bind(driver.thread);
        driver.thread.start();
        return driver;
    }

    private void run() {
        try {
            while (!closed) {
                if (!engine.progress()) {
                    pause();
                }
            }
        } catch (InterruptedException | DocaException e) {
            LOGGER.log(Level.ERROR, "the progress driver ends: " + e.getMessage(), e);
        }
        stopContexts();
    }

    private void stopContexts() {
        try {
            engine.stopContexts(STOP_LIMIT);
        } catch (DocaException e) {
            LOGGER.log(Level.ERROR, "contexts of the progress driver do not stop", e);
        } finally {
            engine.unbind();
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

    /// Stops the contexts of the engine, which stays open and belongs to nobody then, and ends the
    /// thread. Tasks in flight are called back first; a context of which the user still owns tasks
    /// is idle once they are freed, or closed with it. Closing twice is harmless.
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
