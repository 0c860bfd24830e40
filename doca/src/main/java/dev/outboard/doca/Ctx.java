package dev.outboard.doca;

import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.FabricException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What owns tasks of a kind and runs them (DOCA Core, `doca_ctx`): configured while IDLE, then
/// started, used while RUNNING, stopped.
///
/// Driven by the [ProgressEngine] it is attached to, whose [ThreadMode] says which threads may use
/// it; others get BAD_STATE. [#close] stops it, waits until it is idle, and ends its tie to the
/// progress engine.
public abstract class Ctx implements AutoCloseable {
    /// Told about each change of the state of a context, which is already in `next`. Runs in
    /// [Ctx#start] or [Ctx#stop] if they complete at once, else in [ProgressEngine#progress].
    @FunctionalInterface
    public interface StateListener {
        /// `ctx` went from `previous` to `next`.
        void changed(Ctx ctx, CtxState previous, CtxState next);
    }

    private static final Logger LOGGER = System.getLogger(Ctx.class.getName());
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(30);

    /// One engine serves all queues of a device.
    private static final int COMPLETION_VECTORS = 1;

    private final DocaDev device;

    /// DCORE-CTX-20: there is one, 0.
    private int completionVector;

    private volatile CtxState state = CtxState.IDLE;

    /// What [#open] made.
    private CtxRun run = NoRun.INSTANCE;

    private @Nullable ProgressEngine engine;
    private @Nullable StateListener listener;
    private @Nullable Object userData;

    /// DCORE-CTX-15: set if it stops though nobody asked for it.
    private @Nullable FailureCause stopCause;

    private final TaskLedger tasks = new TaskLedger();
    private final Owner owner = new Owner();
    private boolean destroyed;

    /// The progress engine's: whether [#arm] found any when a wait ended.
    boolean hadWork;

    /// A context on `device`, which cannot be closed before the context is.
    ///
    /// @throws DocaException with BAD_STATE if the device is closed
    protected Ctx(DocaDev device) {
        this.device = DocaException.nonNull(device, "device");
        device.use();
    }

    /// The device it works on.
    public final DocaDev device() {
        return device;
    }

    /// Ties it to `newEngine`, until it is closed.
    ///
    /// DCORE-PE-1, DCORE-PE-2: it belongs to one engine, from IDLE on, until it is closed.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, or if the engine is closed; with
    ///   NOT_PERMITTED if it is tied already
    public Ctx attach(ProgressEngine newEngine) {
        DocaException.nonNull(newEngine, "newEngine");
        requireIdle("attached to a progress engine");
        if (engine != null) {
            throw new DocaException(
                    DocaError.NOT_PERMITTED, this + " is attached to a progress engine already");
        }
        newEngine.add(this);
        engine = newEngine;
        return this;
    }

    /// Sets who is told about changes of state.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE
    public Ctx onStateChange(StateListener newListener) {
        requireIdle("given a state listener");
        listener = DocaException.nonNull(newListener, "newListener");
        return this;
    }

    /// How many completion vectors the device that `info` names has
    /// (`doca_ctx_cap_get_num_completion_vectors`): one, since one engine serves all its queues.
    ///
    /// @throws DocaException if this machine has no such device, as [DocaDev#open]
    public static int completionVectors(DocaDevInfo info) {
        DocaException.nonNull(info, "info");
        try {
            Fabric.limits(info.uri()); // whether there is such a device
            return COMPLETION_VECTORS;
        } catch (FabricException e) {
            throw DocaException.of("asking what " + info + " can do", e);
        }
    }

    /// Chooses by which of the device's completion vectors it tells of completions
    /// (`doca_ctx_set_completion_vector`); 0 by default.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, with INVALID_VALUE if the device has no
    ///   such vector
    public Ctx completionVector(int vector) {
        requireIdle("configured");
        if (vector < 0 || vector >= COMPLETION_VECTORS) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "completion vector is %d; valid on %s: 0 to %d"
                            .formatted(vector, device, COMPLETION_VECTORS - 1));
        }
        completionVector = vector;
        return this;
    }

    public final int completionVector() {
        return completionVector;
    }

    /// Attaches anything, for the callbacks.
    ///
    /// DCORE-CTX-18: callbacks find it here, as it was given.
    public Ctx userData(@Nullable Object newUserData) {
        userData = newUserData;
        return this;
    }

    /// What the user attached.
    public final @Nullable Object userData() {
        return userData;
    }

    /// What the user attached, which is a `type`; null if nothing is.
    ///
    /// @throws ClassCastException if it is something else
    public final <T> @Nullable T userDataAs(Class<T> type) {
        DocaException.nonNull(type, "type");
        return type.cast(userData);
    }

    /// Starts it.
    ///
    /// DCORE-CTX-3, DCORE-CTX-4: from IDLE, tied to an engine; at once or in steps.
    ///
    /// @return RUNNING, or STARTING if [ProgressEngine#progress] has to bring it there
    ///   (`DOCA_ERROR_IN_PROGRESS`)
    /// @throws DocaException with BAD_STATE unless IDLE, with NOT_CONNECTED if it is tied to no
    ///   progress engine, with NO_MEMORY if the device has no room for it; it is IDLE then
    public final CtxState start() {
        ProgressEngine pe = engine;
        if (pe == null) {
            requireIdle("started");
            if (needsProgress()) {
                throw new DocaException(
                        DocaError.NOT_CONNECTED,
                        this + " needs a progress engine before it starts");
            }
            pe = ProgressEngine.create(ThreadMode.SHARED);
            pe.add(this);
            engine = pe;
        }
        pe.enter();
        try {
            requireIdle("started");
            stopCause = null;
            enter(begin(open()));
            return state;
        } catch (FabricException e) {
            throw DocaException.of("starting " + this, e);
        } finally {
            pe.exit();
        }
    }

    private CtxState begin(CtxRun opened) {
        try {
            CtxState first = opened.begin();
            run = opened;
            return first;
        } catch (RuntimeException e) {
            opened.release();
            throw e;
        }
    }

    /// Stops it: tasks in flight complete, with their outcome or flushed, in
    /// [ProgressEngine#progress]. Does nothing in IDLE and STOPPING.
    ///
    /// DCORE-CTX-7, DCORE-CTX-11: idle at once only if nothing is left to do, and no callback runs.
    ///
    /// @return IDLE, or STOPPING if tasks are in flight or not freed, or if called in a callback
    ///   (`DOCA_ERROR_IN_PROGRESS`)
    public final CtxState stop() {
        ProgressEngine pe = engine;
        if (pe == null) {
            return state;
        }
        pe.enter();
        try {
            if (state == CtxState.STARTING || state == CtxState.RUNNING) {
                beginToStop();
                if (!pe.isProgressing()) {
                    becomeIdleIfDone();
                }
                pe.wake();
            }
            return state;
        } finally {
            pe.exit();
        }
    }

    /// Stops it and progresses until it is idle. Tasks that the user owns have to be freed by the
    /// callbacks.
    ///
    /// @throws DocaException with TIME_OUT if `limit` passes first; it names what is missing
    public final void stopAndDrain(Duration limit) {
        DocaException.nonNull(limit, "limit");
        drain(limit, () -> {});
    }

    private void drain(Duration limit, Runnable afterEachTurn) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (stop() != CtxState.IDLE) {
            if (System.nanoTime() - deadline > 0) {
                throw new DocaException(
                        DocaError.TIME_OUT,
                        "%s is not idle after %d ms: %s".formatted(this, limit.toMillis(), tasks));
            }
            engine().progressToStop();
            afterEachTurn.run();
        }
    }

    /// May be read from any thread.
    public final CtxState state() {
        return state;
    }

    /// Why it stopped though nobody asked for it; empty if somebody did, or if it did not stop.
    public final Optional<FailureCause> stopCause() {
        return Optional.ofNullable(stopCause);
    }

    /// Tasks that were submitted and not called back.
    public final int inFlightTasks() {
        return tasks.inFlight();
    }

    /// Pushes tasks that were held back: those submitted without [SubmitFlag#FLUSH].
    ///
    /// @throws DocaException with BAD_STATE if IDLE
    public final void flushTasks() {
        ProgressEngine pe = engine;
        if (state == CtxState.IDLE || pe == null) {
            throw new DocaException(DocaError.BAD_STATE, this + " is idle; start it first");
        }
        pe.enter();
        try {
            run.flush();
        } finally {
            pe.exit();
        }
    }

    /// Stops it, progresses until it is idle, frees the tasks that the user still holds, and ends
    /// its tie to the progress engine. Closing twice is harmless.
    ///
    /// @throws DocaException with BAD_STATE if called in a callback while it is not idle, with
    ///   TIME_OUT if it does not become idle
    @Override
    public void close() {
        if (destroyed) {
            return;
        }
        ProgressEngine pe = engine;
        if (pe != null) {
            if (state != CtxState.IDLE && pe.isInCallback()) {
                throw new DocaException(
                        DocaError.BAD_STATE, this + " is " + state + "; stop it first");
            }
            tasks.freeHeld(this);
            drain(CLOSE_LIMIT, () -> tasks.freeHeld(this));
            pe.remove(this);
        }
        destroyed = true;
        device.release();
    }

    /// Whether it can only start if somebody progresses.
    protected boolean needsProgress() {
        return true;
    }

    /// Makes what it needs to run; what fails here leaves nothing behind.
    protected abstract CtxRun open();

    /// This context as its run sees it.
    protected final CtxRun.Owner owner() {
        return owner;
    }

    final boolean arm() {
        return run.arm();
    }

    final long lookAgainNanos() {
        return run.lookAgainNanos();
    }

    /// The progress engine it is tied to.
    final ProgressEngine engine() {
        ProgressEngine attached = engine;
        if (attached == null) {
            throw new DocaException(
                    DocaError.BAD_STATE, this + " is attached to no progress engine");
        }
        return attached;
    }

    /// Configuration asks this first.
    ///
    /// DCORE-CTX-5, DCORE-CTX-12: it can be configured whenever it is IDLE, before and after a run.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE
    protected final void requireIdle(String action) {
        requireState(CtxState.IDLE, action);
    }

    /// What is possible in one state only asks this first.
    ///
    /// @throws DocaException with BAD_STATE unless in state `needed`
    protected final void requireState(CtxState needed, String action) {
        if (destroyed) {
            throw new DocaException(DocaError.BAD_STATE, this + " is closed");
        }
        if (state != needed) {
            throw new DocaException(
                    DocaError.BAD_STATE,
                    "%s is %s; it can be %s only when %s".formatted(this, state, action, needed));
        }
    }

    /// A callback of `runner` let the refusal of a task pass.
    final void refusedInCallback(ProgressEngine runner, DocaException refusal) {
        if (runner.equals(engine)) {
            owner.fail(
                    new FailureCause.Refusal(
                            refusal.error(), String.valueOf(refusal.getMessage())));
        }
    }

    /// Allocates a task.
    ///
    /// DCORE-CTX-6, DCORE-CTX-10: only while it is RUNNING.
    ///
    /// @param pool that of its type; null if the type is not enabled
    /// @param type what messages call it
    /// @throws DocaException with BAD_STATE unless running, with NOT_PERMITTED if the type is not
    ///   enabled, with NO_MEMORY if all its tasks are allocated
    protected final <T extends Task> T allocate(
            @Nullable TaskPool<?> pool, Object type, Supplier<T> creation) {
        ProgressEngine pe = engine();
        pe.enter();
        try {
            requireState(CtxState.RUNNING, "given tasks");
            if (pool == null) {
                throw new DocaException(
                        DocaError.NOT_PERMITTED,
                        type + " tasks are not enabled for " + this + "; enable them before start");
            }
            return tasks.allocate(pool, creation);
        } finally {
            pe.exit();
        }
    }

    /// Allocates a batch of tasks.
    ///
    /// @param pool that of batches of such tasks; null if they are not enabled
    /// @throws DocaException with INVALID_VALUE unless there are 1 to `size` tasks of one type, all
    ///   different and all of this context; else as [#allocate]
    protected final <T extends Task> TaskBatch<T> allocateBatch(
            @Nullable TaskPool<?> pool, Object type, BatchSize size, List<T> tasks) {
        return allocate(pool, type, () -> new TaskBatch<>(this, size, tasks));
    }

    /// Submits `tasks`, of which none is in flight, or none of them: as [CtxRun#submitAll].
    final DocaError submitAll(List<? extends Task> tasks, boolean strictly, boolean flushing) {
        return run.submitAll(tasks, strictly, flushing);
    }

    /// A task of this context was freed.
    final void freed(Task task) {
        tasks.freed(task);
    }

    /// A turn for this context.
    final int progress(int max) {
        int done = run.poll(max);
        return becomeIdleIfDone() ? done + 1 : done;
    }

    /// Whether it is idle, or would be if the user freed the tasks.
    final boolean isStopped() {
        return state == CtxState.IDLE || (tasks.isHeld() && run.isShut());
    }

    private void beginToStop() {
        enter(CtxState.STOPPING);
        run.shut();
    }

    /// DCORE-CTX-8, DCORE-CTX-9: idle once all tasks are called back and freed.
    private boolean becomeIdleIfDone() {
        if (state != CtxState.STOPPING || !tasks.isEmpty() || !run.isShut()) {
            return false;
        }
        run.release();
        run = NoRun.INSTANCE;
        enter(CtxState.IDLE);
        // Whoever waits for this in a loop of its own may have looked a moment too early.
        engine().wake();
        return true;
    }

    /// DCORE-CTX-13, DCORE-CTX-14: told once, on the thread that makes the change.
    private void enter(CtxState next) {
        CtxState previous = state;
        state = next;
        StateListener told = listener;
        if (told != null) {
            engine().callback(ctx -> told.changed(ctx, previous, next), this);
        }
    }

    private final class Owner implements CtxRun.Owner {
        @Override
        public ProgressEngine engine() {
            return Ctx.this.engine();
        }

        @Override
        public CtxState state() {
            return state;
        }

        @Override
        public void requireState(CtxState needed, String action) {
            Ctx.this.requireState(needed, action);
        }

        /// DCORE-CTX-6, DCORE-CTX-10: only while it is RUNNING.
        @Override
        public boolean accepts(Task task) {
            return !task.isInFlight() && state == CtxState.RUNNING;
        }

        @Override
        public DocaError refuse(Task task, ValidationRule rule) {
            return task.refused(rule);
        }

        @Override
        public void begin(Task task) {
            tasks.started(task);
            engine().bind();
        }

        @Override
        public void end(Task task, DocaError status, @Nullable FailureCause cause) {
            tasks.ended(task, status, cause);
            engine().callback(task.takeCallback(), task);
        }

        @Override
        public void becomeRunning() {
            enter(CtxState.RUNNING);
        }

        @Override
        public void fail(FailureCause cause) {
            if (state == CtxState.RUNNING || state == CtxState.STARTING) {
                stopCause = cause;
                LOGGER.log(Level.WARNING, "{0} stops: {1}", Ctx.this, cause);
                FatalErrorEvent.record(Ctx.this, cause);
                beginToStop();
            }
        }
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + " on " + device;
    }
}
