package dev.outboard.doca;

import dev.outboard.fabric.CompletionChannel;
import dev.outboard.fabric.Device;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Drives contexts and runs their callbacks (DOCA Core, `doca_pe`). The application calls
/// [#progress] in a loop, or sleeps in [#await] between the calls:
///
/// ```java
/// while (!done) {
///     if (!engine.progress()) {
///         engine.await(Duration.ofSeconds(1));
///     }
/// }
/// ```
///
/// The [ThreadMode] says which threads may use it, its contexts and their tasks; others get
/// BAD_STATE. Peers' one-sided operations are served whether or not anybody progresses.
public final class ProgressEngine implements AutoCloseable {
    private static final Logger LOGGER = System.getLogger(ProgressEngine.class.getName());

    private final ThreadDomain threads;
    private final Sleep sleep = new Sleep();
    private final Turns turns = new Turns();
    private EventMode eventMode = EventMode.ALL;

    private @Nullable Thread progressing;

    /// Who progresses does so to stop a context.
    private boolean isStopping;

    private volatile boolean closed;
    private final AtomicBoolean isDriven = new AtomicBoolean();
    private long callbackFailures;

    private ProgressEngine(ThreadMode mode) {
        threads = new ThreadDomain(mode);
    }

    /// A progress engine for one thread.
    public static ProgressEngine create() {
        return create(ThreadMode.CONFINED);
    }

    /// A progress engine for the threads that `mode` says.
    public static ProgressEngine create(ThreadMode mode) {
        DocaException.nonNull(mode, "mode");
        return new ProgressEngine(mode);
    }

    // ---- progress -------------------------------------------------------------------------------

    /// Does a bounded amount of work for each context: completions, events, changes of state; their
    /// callbacks run in here.
    ///
    /// DCORE-PE-3, DCORE-PE-14: a bounded amount of work, several completions if there are.
    ///
    /// DCORE-PE-4: callbacks run here and nowhere else.
    ///
    /// @return whether anything happened
    /// @throws DocaException with BAD_STATE in a callback, while another thread progresses, or on a
    ///   thread that the thread mode does not allow
    public boolean progress() {
        return begin(false) && progressAll();
    }

    /// Like [#progress()], for a thread that stops a context; leaves it to another thread that
    /// progresses already.
    void progressToStop() {
        if (begin(true)) {
            boolean _ = progressAll();
        } else {
            Thread.onSpinWait();
        }
    }

    private boolean progressAll() {
        try {
            return turns.each() > 0;
        } finally {
            end();
        }
    }

    /// Like [#progress()], until nothing happens or `max` callbacks ran and changes of state were
    /// made; the contexts take turns.
    ///
    /// @return how many
    public int progress(int max) {
        if (!begin(false)) {
            return 0;
        }
        try {
            return turns.upTo(max);
        } finally {
            end();
        }
    }

    /// Progresses until `isDone` says so, spinning between: the shortest way to wait.
    ///
    /// DJAVA-PE-4: a virtual thread lets others have its carrier.
    ///
    /// @throws DocaException with TIME_OUT if `limit` passes first, or as [#progress()]
    public void progressUntil(BooleanSupplier isDone, Duration limit) {
        DocaException.nonNull(isDone, "isDone");
        DocaException.nonNull(limit, "limit");
        long deadline = System.nanoTime() + limit.toNanos();
        while (!isDone.getAsBoolean()) {
            if (progress()) {
                continue;
            }
            if (System.nanoTime() - deadline > 0) {
                throw timeOut(limit);
            }
            spin();
        }
    }

    /// A virtual thread that only spins would keep its carrier from all others.
    @SuppressWarnings("ThreadPriorityCheck") // nothing is said of priorities
    private static void spin() {
        if (Thread.currentThread().isVirtual()) {
            Thread.yield();
        } else {
            Thread.onSpinWait();
        }
    }

    /// Like [#progressUntil], but sleeps after a spell without work.
    void progressOrSleepUntil(BooleanSupplier isDone, Duration limit) {
        long now = System.nanoTime();
        long deadline = now + limit.toNanos();
        long spinUntil = now + ProgressDriver.SPIN_NANOS;
        while (!isDone.getAsBoolean()) {
            boolean hasWorked = progress();
            now = System.nanoTime();
            if (hasWorked) {
                spinUntil = now + ProgressDriver.SPIN_NANOS;
            } else if (now - deadline > 0) {
                throw timeOut(limit);
            } else if (now - spinUntil < 0 || !sleepUninterrupted(deadline - now)) {
                Thread.onSpinWait();
            }
        }
    }

    /// Sleeps until there is work.
    ///
    /// @return false if another thread does so already
    private boolean sleepUninterrupted(long nanos) {
        try {
            if (!beginToSleep()) {
                return false;
            }
            boolean _ = sleepWhileIdle(nanos);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DocaException(
                    DocaError.AGAIN, "interrupted while waiting; what was awaited goes on", e);
        }
    }

    private static DocaException timeOut(Duration limit) {
        return new DocaException(
                DocaError.TIME_OUT,
                "what the progress engine was to bring did not come within " + limit);
    }

    /// Sleeps until [#progress] has work, or `timeout` passed. What became ready since the last
    /// [#progress] ends the wait at once.
    ///
    /// A virtual thread is parked meanwhile.
    ///
    /// @return whether there may be work
    /// @throws DocaException with BAD_STATE while another thread waits, or if the engine is closed
    /// @throws InterruptedException if the thread was interrupted, at most 50 ms ago
    public boolean await(Duration timeout) throws InterruptedException {
        DocaException.nonNull(timeout, "timeout");
        if (!beginToSleep()) {
            throw new DocaException(
                    DocaError.BAD_STATE,
                    sleep.sleeper() + " waits for this progress engine already");
        }
        return sleepWhileIdle(timeout.toNanos());
    }

    private boolean sleepWhileIdle(long nanos) throws InterruptedException {
        long deadline = System.nanoTime() + nanos;
        try {
            while (!arm()) {
                if (Thread.interrupted()) {
                    throw new InterruptedException("interrupted while waiting for work");
                }
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                sleep.sleep(Math.min(left, lookAgainNanos()));
            }
            return true;
        } finally {
            sleep.end();
        }
    }

    /// For native programs: what they wait for instead of calling [#await], the same each time.
    ///
    /// @throws DocaException with BAD_STATE unless a context is attached, on whose device it is
    ///   made; with DRIVER if the process may not have another file descriptor
    public Notification notification() {
        enter();
        try {
            requireOpen();
            return sleep.notification(this, turns.contexts());
        } finally {
            exit();
        }
    }

    void requireOpen() {
        if (closed) {
            throw new DocaException(DocaError.BAD_STATE, "the progress engine is closed");
        }
    }

    /// Ends the [#await] that is going on, or else the next one; a [Notification] that was
    /// requested comes. Any thread.
    public void wake() {
        sleep.wake();
    }

    // ---- state ----------------------------------------------------------------------------------

    /// Which contexts [#progress] sees to after [#await]; ALL by default.
    public EventMode eventMode() {
        return eventMode;
    }

    /// Changes the event mode, from the next [#await] on.
    ///
    /// @throws DocaException with BAD_STATE in a callback
    public void eventMode(EventMode mode) {
        DocaException.nonNull(mode, "mode");
        enter();
        try {
            if (isInCallback()) {
                throw new DocaException(
                        DocaError.BAD_STATE,
                        "a callback cannot change the event mode of the engine that runs it");
            }
            eventMode = mode;
        } finally {
            exit();
        }
    }

    /// Tasks in flight of all its contexts.
    public int inFlightTasks() {
        enter();
        try {
            return turns.inFlightTasks();
        } finally {
            exit();
        }
    }

    /// Callbacks that threw; what they threw is in the log. One that let an exception of
    /// [Task#submitOrThrow] pass has stopped the task's context, too.
    public long callbackFailures() {
        return callbackFailures;
    }

    /// With CONFINED: the current thread takes over from the one that used it so far. With SHARED
    /// there is nothing to do.
    ///
    /// @throws DocaException with IN_USE while tasks are in flight, with BAD_STATE if it is closed
    public void rebind() {
        rebind(Thread.currentThread());
    }

    private void rebind(Thread newOwner) {
        requireOpen();
        threads.rebind(newOwner, turns.inFlightTasks());
    }

    /// `driver` progresses it from now on, until [#unbind].
    ///
    /// @throws DocaException with IN_USE if another one does; else as [#rebind()]
    void bind(Thread driver) {
        if (!isDriven.compareAndSet(false, true)) {
            throw new DocaException(
                    DocaError.IN_USE, "the progress engine has a driver already; close that first");
        }
        try {
            rebind(driver);
        } catch (DocaException e) {
            isDriven.set(false);
            throw e;
        }
    }

    /// The current thread, its driver, gives it up.
    void unbind() {
        threads.rebind(null, 0);
        isDriven.set(false);
    }

    /// Stops all contexts, and progresses until nothing but tasks of the user keeps them from being
    /// idle.
    ///
    /// @throws DocaException with TIME_OUT
    void stopContexts(Duration limit) {
        for (Ctx ctx : turns.contexts()) {
            ctx.stop();
        }
        progressUntil(this::areStopped, limit);
    }

    private boolean areStopped() {
        enter();
        try {
            return turns.areStopped();
        } finally {
            exit();
        }
    }

    /// Ends the wait of a thread in [#await], too.
    ///
    /// DCORE-PE-8: not while a context is tied to it.
    ///
    /// @throws DocaException with IN_USE while contexts are tied to it
    @Override
    public void close() {
        turns.requireNone();
        closed = true;
        sleep.close();
    }

    // ---- for the contexts -------------------------------------------------------------------

    /// The current thread uses this engine, a context or a task of it, until [#exit].
    ///
    /// @throws DocaException with BAD_STATE if the thread mode does not allow it, or it is closed
    public void enter() {
        requireOpen();
        threads.enter();
    }

    /// Ends what [#enter] began.
    public void exit() {
        threads.exit();
    }

    /// Whether a callback of this engine runs on the current thread.
    boolean isInCallback() {
        return Thread.currentThread().equals(progressing);
    }

    /// Whether a thread progresses, the current one or, while it runs a callback, another.
    boolean isProgressing() {
        return progressing != null;
    }

    /// The channel for completion queues of `device`, whose notifications end [#await].
    public CompletionChannel channel(Device device) {
        DocaException.nonNull(device, "device");
        return sleep.channel(device);
    }

    /// Runs a callback with `argument`, without holding up other threads; what it throws is counted
    /// and logged, and the refusal of a task by [Task#submitOrThrow] stops the task's context.
    public <T> void callback(Consumer<? super T> callback, T argument) {
        DocaException.nonNull(callback, "callback");
        DocaException.nonNull(argument, "argument");
        Throwable thrown = null;
        exit();
        try {
            if (SlowCallbackEvent.isOn()) {
                SlowCallbackEvent.run(callback, argument);
            } else {
                callback.accept(argument);
            }
        } catch (RuntimeException | Error e) {
            thrown = e;
        } finally {
            enter();
        }
        if (thrown != null) {
            callbackFailed(thrown);
        }
    }

    /// What was to go on with a task that [Task#submitOrThrow] refused does not: its context stops,
    /// so that nobody waits for it in vain.
    ///
    /// DCORE-PE-6: what a callback throws is counted and logged, and harms no other completion.
    private void callbackFailed(Throwable thrown) {
        callbackFailures++;
        LOGGER.log(Level.ERROR, "a callback threw; its task has completed all the same", thrown);
        if (thrown instanceof DocaException refusal) {
            refusal.refused().ifPresent(task -> task.ctx().refusedInCallback(this, refusal));
        }
    }

    void add(Ctx ctx) {
        enter();
        try {
            turns.add(ctx);
        } finally {
            exit();
        }
    }

    void remove(Ctx ctx) {
        enter();
        try {
            turns.remove(ctx);
        } finally {
            exit();
        }
    }

    // ---- inside ---------------------------------------------------------------------------------

    /// DCORE-PE-5: a callback cannot progress the engine that runs it.
    ///
    /// @param stops whether it is to stop a context, during which other threads may try to progress
    /// @return false if that is left to another thread
    private boolean begin(boolean stops) {
        Thread current = Thread.currentThread();
        enter();
        if (progressing != null) {
            boolean inCallback = current.equals(progressing);
            boolean leaves = !inCallback && (stops || isStopping);
            exit();
            if (leaves) {
                return false;
            }
            throw new DocaException(
                    DocaError.BAD_STATE,
                    inCallback
                            ? "a callback cannot progress the engine that runs it"
                            : "another thread progresses this engine");
        }
        bind();
        progressing = current;
        isStopping = stops;
        return true;
    }

    private void end() {
        turns.end();
        progressing = null;
        exit();
    }

    /// The current thread submits or progresses.
    void bind() {
        threads.bind();
    }

    private boolean beginToSleep() {
        enter();
        try {
            return sleep.begin();
        } finally {
            exit();
        }
    }

    /// From now on [#wake], or a device, tells of work.
    ///
    /// @return whether there is some already
    boolean arm() {
        enter();
        try {
            return turns.arm(sleep.takeWoken(), eventMode);
        } finally {
            exit();
        }
    }

    /// When a context has to be looked at though nothing tells of work.
    long lookAgainNanos() {
        return turns.lookAgainNanos();
    }
}
