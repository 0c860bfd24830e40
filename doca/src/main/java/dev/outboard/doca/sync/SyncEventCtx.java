package dev.outboard.doca.sync;

import dev.outboard.doca.Ctx;
import dev.outboard.doca.CtxRun;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.FailureCause;
import dev.outboard.doca.ProgressEngine;
import dev.outboard.doca.TaskPool;
import dev.outboard.doca.spi.EventCell;
import dev.outboard.fabric.CompletionStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A [SyncEvent] as a context, made by [SyncEvent#asCtx]: it is got, set, added to and waited for
/// by tasks, from the threads that the [dev.outboard.doca.ThreadMode] of its progress engine
/// allows.
///
/// ```java
/// SyncEventCtx ctx = event.asCtx();
/// ctx.waitNeq(this::changed, this::failed, 1).attach(engine);
/// ctx.start();
/// ctx.allocWaitNeq(0, -1).submitOrThrow();
/// ```
///
/// A wait that is in flight holds up no other task; stop ends it as flushed. Closed with its event.
public final class SyncEventCtx extends Ctx {
    private static final FailureCause FLUSHED =
            FailureCause.Transport.of(CompletionStatus.WORK_REQUEST_FLUSHED);

    private final SyncEvent event;
    private final @Nullable TaskPool<?>[] pools =
            new TaskPool<?>[SyncEventTaskType.values().length];

    /// The last one.
    private @Nullable Run run;

    SyncEventCtx(SyncEvent event, DocaDev dev) {
        super(dev);
        this.event = event;
    }

    /// The event that it is.
    public SyncEvent event() {
        return event;
    }

    // ---- configuration --------------------------------------------------------------------------

    @Override
    public SyncEventCtx attach(ProgressEngine newEngine) {
        super.attach(newEngine);
        return this;
    }

    @Override
    public SyncEventCtx onStateChange(StateListener newListener) {
        super.onStateChange(newListener);
        return this;
    }

    @Override
    public SyncEventCtx userData(@Nullable Object newUserData) {
        super.userData(newUserData);
        return this;
    }

    /// Enables gets.
    ///
    /// @param onSuccess runs in [dev.outboard.doca.ProgressEngine#progress] for each that succeeded
    /// @param onError runs there for each that was flushed
    /// @param count how many may be allocated at once
    /// @throws DocaException with NOT_PERMITTED unless IDLE, INVALID_VALUE if a callback is missing
    ///   or `count` is below 1
    public SyncEventCtx get(
            Consumer<? super GetTask> onSuccess, Consumer<? super GetTask> onError, int count) {
        return enable(SyncEventTaskType.GET, onSuccess, onError, count);
    }

    /// Enables gets without callbacks, for who looks at [dev.outboard.doca.Task#isInFlight] and
    /// [dev.outboard.doca.Task#status].
    ///
    /// @param count how many may be allocated at once
    /// @throws DocaException with NOT_PERMITTED unless IDLE, INVALID_VALUE if `count` is below 1
    public SyncEventCtx get(int count) {
        return enable(SyncEventTaskType.GET, count);
    }

    /// Enables sets; see [#get(Consumer, Consumer, int)].
    public SyncEventCtx notifySet(
            Consumer<? super NotifySetTask> onSuccess,
            Consumer<? super NotifySetTask> onError,
            int count) {
        return enable(SyncEventTaskType.NOTIFY_SET, onSuccess, onError, count);
    }

    /// Enables sets without callbacks; see [#get(int)].
    public SyncEventCtx notifySet(int count) {
        return enable(SyncEventTaskType.NOTIFY_SET, count);
    }

    /// Enables adds; see [#get(Consumer, Consumer, int)].
    public SyncEventCtx notifyAdd(
            Consumer<? super NotifyAddTask> onSuccess,
            Consumer<? super NotifyAddTask> onError,
            int count) {
        return enable(SyncEventTaskType.NOTIFY_ADD, onSuccess, onError, count);
    }

    /// Enables adds without callbacks; see [#get(int)].
    public SyncEventCtx notifyAdd(int count) {
        return enable(SyncEventTaskType.NOTIFY_ADD, count);
    }

    /// Enables waits for a value; see [#get(Consumer, Consumer, int)].
    public SyncEventCtx waitEq(
            Consumer<? super WaitTask> onSuccess, Consumer<? super WaitTask> onError, int count) {
        return enable(SyncEventTaskType.WAIT_EQ, onSuccess, onError, count);
    }

    /// Enables waits for a value without callbacks; see [#get(int)].
    public SyncEventCtx waitEq(int count) {
        return enable(SyncEventTaskType.WAIT_EQ, count);
    }

    /// Enables waits for another value; see [#get(Consumer, Consumer, int)].
    public SyncEventCtx waitNeq(
            Consumer<? super WaitTask> onSuccess, Consumer<? super WaitTask> onError, int count) {
        return enable(SyncEventTaskType.WAIT_NEQ, onSuccess, onError, count);
    }

    /// Enables waits for another value without callbacks; see [#get(int)].
    public SyncEventCtx waitNeq(int count) {
        return enable(SyncEventTaskType.WAIT_NEQ, count);
    }

    private <T extends SyncEventTask> SyncEventCtx enable(
            SyncEventTaskType kind,
            Consumer<? super T> onSuccess,
            Consumer<? super T> onError,
            int count) {
        return enable(kind, new TaskPool<>(kind.name(), onSuccess, onError, count));
    }

    private SyncEventCtx enable(SyncEventTaskType kind, int count) {
        return enable(kind, new TaskPool<>(kind.name(), count));
    }

    /// DSE-TASK-1: while it is idle.
    private SyncEventCtx enable(SyncEventTaskType kind, TaskPool<?> pool) {
        if (state() != CtxState.IDLE) {
            throw new DocaException(
                    DocaError.NOT_PERMITTED,
                    "%s is %s; tasks are enabled while it is IDLE".formatted(this, state()));
        }
        pools[kind.ordinal()] = pool;
        return this;
    }

    // ---- tasks ----------------------------------------------------------------------------------

    /// Allocates a get.
    ///
    /// @throws DocaException with BAD_STATE unless running, with NOT_PERMITTED if gets are not
    ///   enabled, with NO_MEMORY if all are allocated
    public GetTask allocGet() {
        return allocated(SyncEventTaskType.GET, () -> new GetTask(this));
    }

    /// Allocates a set; see [#allocGet].
    public NotifySetTask allocNotifySet(long value) {
        return allocated(SyncEventTaskType.NOTIFY_SET, () -> new NotifySetTask(this, value));
    }

    /// Allocates an add; see [#allocGet].
    public NotifyAddTask allocNotifyAdd(long addend) {
        return allocated(SyncEventTaskType.NOTIFY_ADD, () -> new NotifyAddTask(this, addend));
    }

    /// Allocates a wait until `value & mask` equals `threshold`; see [#allocGet].
    ///
    /// @throws DocaException also with INVALID_VALUE as [WaitTask#operands]
    public WaitTask allocWaitEq(long threshold, long mask) {
        return allocated(
                SyncEventTaskType.WAIT_EQ,
                () -> new WaitTask(this, SyncEventTaskType.WAIT_EQ, threshold, mask));
    }

    /// Allocates a wait until `value & mask` differs from `threshold`; see [#allocGet].
    ///
    /// @throws DocaException also with INVALID_VALUE as [WaitTask#operands]
    public WaitTask allocWaitNeq(long threshold, long mask) {
        return allocated(
                SyncEventTaskType.WAIT_NEQ,
                () -> new WaitTask(this, SyncEventTaskType.WAIT_NEQ, threshold, mask));
    }

    private <T extends SyncEventTask> T allocated(SyncEventTaskType kind, Supplier<T> creation) {
        return allocate(pools[kind.ordinal()], kind, creation);
    }

    DocaError submit(SyncEventTask task) {
        ProgressEngine engine = owner().engine();
        engine.enter();
        try {
            return Objects.requireNonNull(run).submit(task);
        } finally {
            engine.exit();
        }
    }

    @Override
    protected CtxRun open() {
        event.open();
        Run opened = new Run(event.openCell());
        run = opened;
        return opened;
    }

    // ---- progress -------------------------------------------------------------------------------

    /// From start to stop: what was submitted and has not ended.
    private final class Run implements CtxRun {
        private final Owner owner = owner();
        private final EventCell cell;

        /// In order.
        private final List<SyncEventTask> pending = new ArrayList<>();

        Run(EventCell cell) {
            this.cell = cell;
        }

        @Override
        public CtxState begin() {
            return CtxState.RUNNING;
        }

        DocaError submit(SyncEventTask task) {
            if (!owner.accepts(task)) {
                return DocaError.BAD_STATE;
            }
            owner.begin(task);
            pending.add(task);
            owner.engine().wake();
            return DocaError.SUCCESS;
        }

        /// The callbacks may submit tasks, which come behind all others.
        ///
        /// DSE-TASK-3: a wait holds up no other task.
        @Override
        public int poll(int max) {
            int done = 0;
            int at = 0;
            for (int left = pending.size(); left > 0 && done < max; left--) {
                SyncEventTask task = pending.get(at);
                if (task.attempt(cell)) {
                    owner.end(pending.remove(at), DocaError.SUCCESS, null);
                    done++;
                } else if (state() == CtxState.STOPPING) {
                    owner.end(pending.remove(at), DocaError.BAD_STATE, FLUSHED);
                    done++;
                } else {
                    at++;
                }
            }
            return done;
        }

        @Override
        public boolean arm() {
            return state() == CtxState.STOPPING || hasReady();
        }

        private boolean hasReady() {
            for (int i = 0; i < pending.size(); i++) {
                if (pending.get(i).isReady(cell)) {
                    return true;
                }
            }
            return false;
        }

        /// Peers change the value without telling anybody.
        @Override
        public long lookAgainNanos() {
            return pending.isEmpty() ? Long.MAX_VALUE : SyncEvent.LONGEST_SLEEP_NANOS;
        }

        /// The next turn ends what is pending.
        @Override
        public void shut() {}

        @Override
        public boolean isShut() {
            return pending.isEmpty();
        }

        @Override
        public void release() {
            event.shut();
        }
    }
}
