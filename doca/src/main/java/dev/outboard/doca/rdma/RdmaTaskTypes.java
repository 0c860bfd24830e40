package dev.outboard.doca.rdma;

import dev.outboard.doca.Ctx;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.TaskPool;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The types of task that an [Rdma] context is to run, each enabled while it is IDLE.
abstract sealed class RdmaTaskTypes extends Ctx permits RdmaConfiguration {
    private final @Nullable TaskPool<?>[] pools = new TaskPool<?>[TaskType.values().length];

    RdmaTaskTypes(DocaDev device) {
        super(device);
    }

    /// What tasks of a type need; null if they are not enabled.
    final @Nullable TaskPool<?> pool(TaskType type) {
        return pools[type.ordinal()];
    }

    /// The tasks of a type that may be allocated at once.
    final int enabled(TaskType type) {
        TaskPool<?> pool = pool(type);
        return pool == null ? 0 : pool.count();
    }

    final Rdma self() {
        return (Rdma) this;
    }

    /// Enables receives.
    ///
    /// @param onSuccess runs in [dev.outboard.doca.ProgressEngine#progress] for each that succeeded
    /// @param onError runs there for each that did not
    /// @param count how many may be allocated at once
    /// @throws dev.outboard.doca.DocaException with BAD_STATE unless IDLE, INVALID_VALUE if a
    ///   callback is missing or `count` is below 1
    public Rdma receive(
            Consumer<? super ReceiveTask> onSuccess,
            Consumer<? super ReceiveTask> onError,
            int count) {
        return enable(TaskType.RECEIVE, onSuccess, onError, count);
    }

    /// Enables receives without callbacks, for who looks at [dev.outboard.doca.Task#isInFlight] and
    /// [dev.outboard.doca.Task#status].
    ///
    /// @param count how many may be allocated at once
    /// @throws dev.outboard.doca.DocaException with BAD_STATE unless IDLE, INVALID_VALUE if `count`
    ///   is below 1
    public Rdma receive(int count) {
        return enable(TaskType.RECEIVE, count);
    }

    /// Enables sends; see [#receive(Consumer, Consumer, int)].
    public Rdma send(
            Consumer<? super SendTask> onSuccess, Consumer<? super SendTask> onError, int count) {
        return enable(TaskType.SEND, onSuccess, onError, count);
    }

    /// Enables sends without callbacks; see [#receive(int)].
    public Rdma send(int count) {
        return enable(TaskType.SEND, count);
    }

    /// Enables sends with immediate; see [#receive(Consumer, Consumer, int)].
    public Rdma sendImm(
            Consumer<? super SendImmTask> onSuccess,
            Consumer<? super SendImmTask> onError,
            int count) {
        return enable(TaskType.SEND_IMM, onSuccess, onError, count);
    }

    /// Enables sends with immediate without callbacks; see [#receive(int)].
    public Rdma sendImm(int count) {
        return enable(TaskType.SEND_IMM, count);
    }

    /// Enables reads; see [#receive(Consumer, Consumer, int)].
    public Rdma read(
            Consumer<? super ReadTask> onSuccess, Consumer<? super ReadTask> onError, int count) {
        return enable(TaskType.READ, onSuccess, onError, count);
    }

    /// Enables reads without callbacks; see [#receive(int)].
    public Rdma read(int count) {
        return enable(TaskType.READ, count);
    }

    /// Enables writes; see [#receive(Consumer, Consumer, int)].
    public Rdma write(
            Consumer<? super WriteTask> onSuccess, Consumer<? super WriteTask> onError, int count) {
        return enable(TaskType.WRITE, onSuccess, onError, count);
    }

    /// Enables writes without callbacks; see [#receive(int)].
    public Rdma write(int count) {
        return enable(TaskType.WRITE, count);
    }

    /// Enables writes with immediate; see [#receive(Consumer, Consumer, int)].
    public Rdma writeImm(
            Consumer<? super WriteImmTask> onSuccess,
            Consumer<? super WriteImmTask> onError,
            int count) {
        return enable(TaskType.WRITE_IMM, onSuccess, onError, count);
    }

    /// Enables writes with immediate without callbacks; see [#receive(int)].
    public Rdma writeImm(int count) {
        return enable(TaskType.WRITE_IMM, count);
    }

    /// Enables compare-and-swap; see [#receive(Consumer, Consumer, int)].
    public Rdma atomicCmpSwp(
            Consumer<? super AtomicCmpSwpTask> onSuccess,
            Consumer<? super AtomicCmpSwpTask> onError,
            int count) {
        return enable(TaskType.ATOMIC_CMP_SWP, onSuccess, onError, count);
    }

    /// Enables compare-and-swap without callbacks; see [#receive(int)].
    public Rdma atomicCmpSwp(int count) {
        return enable(TaskType.ATOMIC_CMP_SWP, count);
    }

    /// Enables fetch-and-add; see [#receive(Consumer, Consumer, int)].
    public Rdma atomicFetchAdd(
            Consumer<? super AtomicFetchAddTask> onSuccess,
            Consumer<? super AtomicFetchAddTask> onError,
            int count) {
        return enable(TaskType.ATOMIC_FETCH_ADD, onSuccess, onError, count);
    }

    /// Enables fetch-and-add without callbacks; see [#receive(int)].
    public Rdma atomicFetchAdd(int count) {
        return enable(TaskType.ATOMIC_FETCH_ADD, count);
    }

    /// Enables getting sync events of peers; see [#receive(Consumer, Consumer, int)].
    public Rdma syncEventGet(
            Consumer<? super SyncEventGetTask> onSuccess,
            Consumer<? super SyncEventGetTask> onError,
            int count) {
        return enable(TaskType.REMOTE_NET_SYNC_EVENT_GET, onSuccess, onError, count);
    }

    /// Enables getting sync events of peers without callbacks; see [#receive(int)].
    public Rdma syncEventGet(int count) {
        return enable(TaskType.REMOTE_NET_SYNC_EVENT_GET, count);
    }

    /// Enables setting sync events of peers; see [#receive(Consumer, Consumer, int)].
    public Rdma syncEventNotifySet(
            Consumer<? super SyncEventNotifySetTask> onSuccess,
            Consumer<? super SyncEventNotifySetTask> onError,
            int count) {
        return enable(TaskType.REMOTE_NET_SYNC_EVENT_NOTIFY_SET, onSuccess, onError, count);
    }

    /// Enables setting sync events of peers without callbacks; see [#receive(int)].
    public Rdma syncEventNotifySet(int count) {
        return enable(TaskType.REMOTE_NET_SYNC_EVENT_NOTIFY_SET, count);
    }

    /// Enables adding to sync events of peers; see [#receive(Consumer, Consumer, int)].
    public Rdma syncEventNotifyAdd(
            Consumer<? super SyncEventNotifyAddTask> onSuccess,
            Consumer<? super SyncEventNotifyAddTask> onError,
            int count) {
        return enable(TaskType.REMOTE_NET_SYNC_EVENT_NOTIFY_ADD, onSuccess, onError, count);
    }

    /// Enables adding to sync events of peers without callbacks; see [#receive(int)].
    public Rdma syncEventNotifyAdd(int count) {
        return enable(TaskType.REMOTE_NET_SYNC_EVENT_NOTIFY_ADD, count);
    }

    private <T extends RdmaTask> Rdma enable(
            TaskType type, Consumer<? super T> onSuccess, Consumer<? super T> onError, int count) {
        return enable(type, new TaskPool<>(type.name(), onSuccess, onError, count));
    }

    private Rdma enable(TaskType type, int count) {
        return enable(type, new TaskPool<>(type.name(), count));
    }

    /// DRDMA-CONF-2: a later call replaces an earlier one.
    private Rdma enable(TaskType type, TaskPool<?> pool) {
        requireIdle("configured");
        pools[type.ordinal()] = pool;
        return self();
    }

    /// The tasks that are sent to the peer, of all types.
    final int enabledSends() {
        int sum = 0;
        for (TaskType type : TaskType.values()) {
            sum += type == TaskType.RECEIVE ? 0 : enabled(type);
        }
        return sum;
    }
}
