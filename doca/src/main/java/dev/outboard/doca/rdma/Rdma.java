package dev.outboard.doca.rdma;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.Buf;
import dev.outboard.doca.Ctx;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.FailureCause;
import dev.outboard.doca.ProgressEngine;
import dev.outboard.doca.Task;
import dev.outboard.doca.ValidationRule;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A DOCA RDMA context: connections to peers, and the tasks on them (`doca_rdma`).
///
/// ```java
/// try (ProgressEngine engine = ProgressEngine.create();
///         Rdma rdma = new Rdma(dev)) {
///     rdma.receive(this::received, this::failed, 16).send(this::sent, this::failed, 16);
///     rdma.attach(engine).start();
///     RdmaConnection peer = rdma.export();
///     exchange(peer.details()) …
///     peer.connect(peersDetails);
///     …
/// }
/// ```
///
/// Configured while IDLE; a getter gives the value in use. A context with one connection
/// (ConnectionMode GATED) becomes RUNNING once that is connected; a transport error then stops it.
/// With OPEN, connections come and go while it is RUNNING, and an error ends its connection only.
public final class Rdma extends Ctx {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int MAX_PSN = 1 << 24;

    private final RdmaSettings settings;
    private final @Nullable TaskPool<?>[] pools = new TaskPool<?>[TaskType.values().length];
    private final List<RdmaConnection> connections = new ArrayList<>();
    private final Completion completion = new Completion();

    /// Taken while looking whether there was one.
    private boolean hasCompletion;

    private @Nullable CompletionQueue queue;
    private @Nullable ReceiveQueue receives;
    private int nextConnectionId;
    private int brokenRequests;

    /// A context on `device`.
    public Rdma(DocaDev device) {
        super(device);
        settings = new RdmaSettings(verbs().limits());
    }

    private Device verbs() {
        return device().protectionDomain().device();
    }

    // ---- properties -----------------------------------------------------------------------------

    /// Send-side tasks in flight at most, per connection; rounded up to a power of two. By default
    /// as many as are enabled.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, INVALID_VALUE below 1, NOT_SUPPORTED above
    ///   what the device can do
    public Rdma sendQueueSize(int size) {
        requireIdle("configured");
        settings.sendQueueSize = settings.queueSize("send queue size", size);
        return this;
    }

    public int sendQueueSize() {
        return settings.sendQueueSize > 0
                ? settings.sendQueueSize
                : RdmaSettings.roundUp(enabledSends());
    }

    /// Receives in flight at most; rounded up to a power of two. By default as many as are enabled.
    ///
    /// @throws DocaException as [#sendQueueSize]
    public Rdma recvQueueSize(int size) {
        requireIdle("configured");
        settings.recvQueueSize = settings.queueSize("receive queue size", size);
        return this;
    }

    public int recvQueueSize() {
        TaskPool<?> pool = pools[TaskType.RECEIVE.ordinal()];
        int enabled = pool == null ? 1 : pool.count();
        return settings.recvQueueSize > 0 ? settings.recvQueueSize : RdmaSettings.roundUp(enabled);
    }

    /// Buffers in a list of any task that is sent to the peer, at most; 4 by default.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, INVALID_VALUE above what the device can do
    public Rdma maxSendBufListLen(int length) {
        requireIdle("configured");
        settings.maxSendBufListLen = settings.listLength("longest send list", length);
        return this;
    }

    public int maxSendBufListLen() {
        return settings.maxSendBufListLen;
    }

    /// Buffers in the list of a receive at most; 4 by default.
    ///
    /// @throws DocaException as [#maxSendBufListLen]
    public Rdma receiveDstBufListLen(int length) {
        requireIdle("configured");
        settings.receiveListLen = settings.listLength("longest receive list", length);
        return this;
    }

    public int receiveDstBufListLen() {
        return settings.receiveListLen;
    }

    /// What peers may do over this context, if the memory permits it too; nothing by default. The
    /// LOCAL flags are ignored.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, INVALID_VALUE for PCI flags
    public Rdma permissions(AccessFlag... flags) {
        requireIdle("configured");
        settings.setPermissions(Set.of(flags));
        return this;
    }

    public Set<AccessFlag> permissions() {
        return Set.copyOf(settings.permissions);
    }

    /// Payload of one packet: 256 to 4096 bytes, the device's by default. A connection uses the
    /// smaller one of both sides.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, INVALID_VALUE for any other number,
    ///   NOT_SUPPORTED above what the port carries
    public Rdma mtu(int bytes) {
        requireIdle("configured");
        settings.setMtu(bytes);
        return this;
    }

    public int mtu() {
        return settings.mtu;
    }

    /// How often a message is repeated when the peer has no receive: 0 to 7, 7 for ever; 6 by
    /// default.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, INVALID_VALUE out of range
    public Rdma rnrRetryCount(int count) {
        requireIdle("configured");
        settings.rnrRetryCount = RdmaSettings.range("RNR retry count", count, 0, 7);
        return this;
    }

    public int rnrRetryCount() {
        return settings.rnrRetryCount;
    }

    /// How often what the peer does not acknowledge is repeated: 0 to 7; 7 by default.
    ///
    /// @throws DocaException as [#rnrRetryCount]
    public Rdma retryCount(int count) {
        requireIdle("configured");
        settings.retryCount = RdmaSettings.range("retry count", count, 0, 7);
        return this;
    }

    public int retryCount() {
        return settings.retryCount;
    }

    /// InfiniBand's code for how long an acknowledgement may take, 1 to 31: 4.096 us times two to
    /// the power of it; 17 (0.54 s) by default.
    ///
    /// @throws DocaException as [#rnrRetryCount]
    public Rdma timeoutCode(int code) {
        requireIdle("configured");
        settings.timeoutCode = RdmaSettings.range("timeout code", code, 1, 31);
        return this;
    }

    public int timeoutCode() {
        return settings.timeoutCode;
    }

    /// Connections at most; 1 by default.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, INVALID_VALUE below 1, NOT_SUPPORTED above
    ///   what the device can do
    public Rdma maxNumConnections(int count) {
        requireIdle("configured");
        RdmaSettings.atLeastOne("number of connections", count);
        if (count > settings.limits().maxQueuePairs()) {
            throw new DocaException(
                    DocaError.NOT_SUPPORTED,
                    "number of connections is %d; the device supports at most %d"
                            .formatted(count, settings.limits().maxQueuePairs()));
        }
        settings.maxConnections = count;
        return this;
    }

    public int maxNumConnections() {
        return settings.maxConnections;
    }

    /// How connections begin. By default GATED if there is at most one.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE
    public Rdma connectionMode(ConnectionMode mode) {
        requireIdle("configured");
        settings.mode = mode;
        return this;
    }

    public ConnectionMode connectionMode() {
        if (settings.mode != null) {
            return settings.mode;
        }
        return settings.maxConnections == 1 ? ConnectionMode.GATED : ConnectionMode.OPEN;
    }

    // ---- task types -----------------------------------------------------------------------------

    /// Enables receives.
    ///
    /// @param onSuccess runs in [ProgressEngine#progress] for each that succeeded
    /// @param onError runs there for each that did not
    /// @param count how many may be allocated at once
    /// @throws DocaException with BAD_STATE unless IDLE, INVALID_VALUE if a callback is missing or
    ///   `count` is below 1
    public Rdma receive(
            Consumer<? super ReceiveTask> onSuccess,
            Consumer<? super ReceiveTask> onError,
            int count) {
        return enable(TaskType.RECEIVE, onSuccess, onError, count);
    }

    /// Enables sends; see [#receive].
    public Rdma send(
            Consumer<? super SendTask> onSuccess, Consumer<? super SendTask> onError, int count) {
        return enable(TaskType.SEND, onSuccess, onError, count);
    }

    /// Enables sends with immediate; see [#receive].
    public Rdma sendImm(
            Consumer<? super SendImmTask> onSuccess,
            Consumer<? super SendImmTask> onError,
            int count) {
        return enable(TaskType.SEND_IMM, onSuccess, onError, count);
    }

    /// Enables reads; see [#receive].
    public Rdma read(
            Consumer<? super ReadTask> onSuccess, Consumer<? super ReadTask> onError, int count) {
        return enable(TaskType.READ, onSuccess, onError, count);
    }

    /// Enables writes; see [#receive].
    public Rdma write(
            Consumer<? super WriteTask> onSuccess, Consumer<? super WriteTask> onError, int count) {
        return enable(TaskType.WRITE, onSuccess, onError, count);
    }

    /// Enables writes with immediate; see [#receive].
    public Rdma writeImm(
            Consumer<? super WriteImmTask> onSuccess,
            Consumer<? super WriteImmTask> onError,
            int count) {
        return enable(TaskType.WRITE_IMM, onSuccess, onError, count);
    }

    /// Enables compare-and-swap; see [#receive].
    public Rdma atomicCmpSwp(
            Consumer<? super AtomicCmpSwpTask> onSuccess,
            Consumer<? super AtomicCmpSwpTask> onError,
            int count) {
        return enable(TaskType.ATOMIC_CMP_SWP, onSuccess, onError, count);
    }

    /// Enables fetch-and-add; see [#receive].
    public Rdma atomicFetchAdd(
            Consumer<? super AtomicFetchAddTask> onSuccess,
            Consumer<? super AtomicFetchAddTask> onError,
            int count) {
        return enable(TaskType.ATOMIC_FETCH_ADD, onSuccess, onError, count);
    }

    private <T extends RdmaTask> Rdma enable(
            TaskType type, Consumer<? super T> onSuccess, Consumer<? super T> onError, int count) {
        requireIdle("configured");
        pools[type.ordinal()] = new TaskPool<>(type, onSuccess, onError, count);
        return this;
    }

    private int enabledSends() {
        int sum = 0;
        for (TaskType type : TaskType.values()) {
            TaskPool<?> pool = pools[type.ordinal()];
            if (type != TaskType.RECEIVE && pool != null) {
                sum += pool.count();
            }
        }
        return Math.max(1, sum);
    }

    // ---- connections ----------------------------------------------------------------------------

    /// Ties it to `engine`; see [Ctx#attach].
    @Override
    public Rdma attach(ProgressEngine engine) {
        super.attach(engine);
        return this;
    }

    /// What the communication is ready for.
    public RdmaState rdmaState() {
        if (stopCause().isPresent()) {
            return state() == CtxState.STOPPING ? RdmaState.ERROR : RdmaState.RESET;
        }
        return switch (state()) {
            case IDLE, STOPPING -> RdmaState.RESET;
            case STARTING -> RdmaState.INIT;
            case RUNNING -> {
                boolean connected =
                        connections.stream().anyMatch(c -> c.state() == RdmaState.CONNECTED);
                yield connected ? RdmaState.CONNECTED : RdmaState.INIT;
            }
        };
    }

    /// The connection that waits for its peer, whose [RdmaConnection#details] the peer needs: with
    /// GATED always the same, with OPEN a new one.
    ///
    /// @throws DocaException with BAD_STATE unless started, with FULL if there are
    ///   [#maxNumConnections]
    public RdmaConnection export() {
        ProgressEngine engine = engine();
        engine.enter();
        try {
            if (connectionMode() == ConnectionMode.OPEN) {
                requireState(CtxState.RUNNING, "exported");
                return createConnection();
            }
            if (connections.isEmpty()) {
                requireState(CtxState.STARTING, "exported");
            }
            return connections.getFirst();
        } finally {
            engine.exit();
        }
    }

    private RdmaConnection createConnection() {
        if (connections.size() == settings.maxConnections) {
            throw new DocaException(
                    DocaError.FULL,
                    this + " has all of its " + settings.maxConnections + " connections");
        }
        QueuePair queuePair =
                device().protectionDomain()
                        .createQueuePair(
                                QueuePairAttributes.of(
                                                Objects.requireNonNull(queue), sendQueueSize(), 1)
                                        .withSharedReceiveQueue(receives().queue())
                                        .withMaxScatterGather(settings.maxSendBufListLen));
        queuePair.modify(QueuePairChange.to(QueuePairState.INIT).access(settings.access()));
        RdmaConnection connection =
                new RdmaConnection(
                        this,
                        nextConnectionId++,
                        queuePair,
                        RANDOM.nextInt(MAX_PSN),
                        sendQueueSize());
        connections.add(connection);
        return connection;
    }

    void requireConnectable() {
        boolean isGated = connectionMode() == ConnectionMode.GATED;
        requireState(isGated ? CtxState.STARTING : CtxState.RUNNING, "connected");
    }

    void connected(RdmaConnection connection) {
        engine().wake();
    }

    RdmaSettings settings() {
        return settings;
    }

    long messageLimit() {
        return settings.limits().maxMessageBytes();
    }

    int receiveListLimit() {
        return settings.receiveListLen;
    }

    // ---- tasks ----------------------------------------------------------------------------------

    /// Allocates a receive.
    ///
    /// @param dst where messages go, behind the data there is; null takes messages without payload
    ///   and immediates of writes
    /// @throws DocaException with BAD_STATE unless running, with NOT_PERMITTED if receives are not
    ///   enabled, with NO_MEMORY if all are allocated
    public ReceiveTask allocReceive(@Nullable Buf dst) {
        return allocated(TaskType.RECEIVE, () -> new ReceiveTask(this, dst));
    }

    <T extends RdmaTask> T allocated(TaskType type, Supplier<T> creation) {
        ProgressEngine engine = engine();
        engine.enter();
        try {
            requireState(CtxState.RUNNING, "given tasks");
            TaskPool<?> pool = pools[type.ordinal()];
            if (pool == null) {
                throw new DocaException(
                        DocaError.NOT_PERMITTED,
                        type + " tasks are not enabled for " + this + "; enable them before start");
            }
            pool.allocate();
            T task = creation.get();
            taskAllocated(task);
            return task;
        } finally {
            engine.exit();
        }
    }

    @Override
    protected void taskFreed(Task task) {
        super.taskFreed(task);
        pool((RdmaTask) task).freed();
    }

    DocaError submit(RdmaTask task, boolean strictly) {
        ProgressEngine engine = engine();
        engine.enter();
        try {
            if (task.isOwnedByDoca() || state() != CtxState.RUNNING) {
                return DocaError.BAD_STATE;
            }
            return task instanceof RequestTask request
                    ? submitRequest(request, strictly)
                    : submitReceive((ReceiveTask) task, strictly);
        } finally {
            engine.exit();
        }
    }

    private DocaError submitRequest(RequestTask task, boolean strictly) {
        RdmaConnection connection = task.connection();
        if (connection.rdma() != this) {
            return task.markRefused(ValidationRule.FOREIGN_CONNECTION);
        }
        if (connection.state() != RdmaState.CONNECTED) {
            return DocaError.NOT_CONNECTED;
        }
        if (connection.isFull()) {
            return DocaError.FULL;
        }
        ValidationRule broken = task.check();
        if (strictly) {
            broken = broken == null ? task.checkMore() : broken;
            if (broken != null) {
                return task.markRefused(broken);
            }
        }
        start(task, broken);
        if (broken == null) {
            connection.post(task);
        } else {
            connection.enqueue(task);
            brokenRequests++;
            engine().wake();
        }
        return DocaError.SUCCESS;
    }

    private DocaError submitReceive(ReceiveTask task, boolean strictly) {
        ReceiveQueue receives = receives();
        if (receives.isFull()) {
            return DocaError.FULL;
        }
        ValidationRule broken = task.check();
        if (strictly) {
            broken = broken == null ? task.checkMemory() : broken;
            if (broken != null) {
                return task.markRefused(broken);
            }
        }
        start(task, broken);
        if (broken == null) {
            receives.post(task);
        } else {
            receives.keepBroken(task);
            engine().wake();
        }
        return DocaError.SUCCESS;
    }

    private void start(RdmaTask task, @Nullable ValidationRule broken) {
        task.broken = broken;
        task.markStarted();
        taskStarted();
    }

    // ---- progress -------------------------------------------------------------------------------

    @Override
    protected CtxState open(ProgressEngine engine) {
        int sends = Math.multiplyExact(sendQueueSize(), settings.maxConnections);
        int capacity = Math.addExact(sends, recvQueueSize());
        if (capacity > settings.limits().maxCompletions()) {
            throw new DocaException(
                    DocaError.NOT_SUPPORTED,
                    "%d connections with %d sends each and %d receives are more than the %d completions the device can keep"
                            .formatted(
                                    settings.maxConnections,
                                    sendQueueSize(),
                                    recvQueueSize(),
                                    settings.limits().maxCompletions()));
        }
        queue = verbs().createCompletionQueue(capacity, engine.channel(verbs()));
        receives = new ReceiveQueue(device(), recvQueueSize(), settings.receiveListLen);
        if (connectionMode() == ConnectionMode.OPEN) {
            return CtxState.RUNNING;
        }
        createConnection();
        return CtxState.STARTING;
    }

    @Override
    protected int poll(int max) {
        int done = 0;
        if (state() == CtxState.STARTING && rdmaStateOfFirst() == RdmaState.CONNECTED) {
            becomeRunning();
            done++;
        }
        while (done < max && completeBroken()) {
            done++;
        }
        while (done < max && next()) {
            complete();
            done++;
        }
        if (done == 0) {
            done = lookForFailures();
        }
        if (state() == CtxState.STOPPING && done < max) {
            done += flushReceives();
        }
        return done;
    }

    private RdmaState rdmaStateOfFirst() {
        return connections.isEmpty() ? RdmaState.INIT : connections.getFirst().state();
    }

    private boolean next() {
        if (hasCompletion) {
            hasCompletion = false;
            return true;
        }
        return Objects.requireNonNull(queue).poll(completion);
    }

    private void complete() {
        long id = completion.id();
        if (id < 0) {
            completeReceive(receives().take(id));
        } else {
            completeRequest(connection((int) id));
        }
    }

    private void completeRequest(RdmaConnection connection) {
        RequestTask task = connection.take();
        CompletionStatus status = completion.status();
        if (status == CompletionStatus.SUCCESS) {
            task.complete();
            end(task, DocaError.SUCCESS, null);
        } else {
            endFailed(task, connection, status);
        }
    }

    private void completeReceive(ReceiveTask task) {
        CompletionStatus status = completion.status();
        RdmaConnection connection = connectionOf(completion.queuePairNumber());
        if (status == CompletionStatus.SUCCESS) {
            task.complete(completion, connection);
            end(task, DocaError.SUCCESS, null);
        } else {
            task.fail(status);
            endFailed(task, connection, status);
        }
    }

    private void endFailed(RdmaTask task, RdmaConnection connection, CompletionStatus status) {
        FailureCause cause = FailureCause.Transport.of(status);
        if (status == CompletionStatus.WORK_REQUEST_FLUSHED) {
            end(task, DocaError.BAD_STATE, cause);
        } else {
            failed(connection, cause);
            end(task, DocaError.IO_FAILED, cause);
        }
    }

    /// The communication with a peer has failed.
    private void failed(RdmaConnection connection, FailureCause cause) {
        connection.shut();
        if (connectionMode() == ConnectionMode.GATED) {
            fail(cause);
        }
    }

    /// Completes a task that was submitted though it could not work, if it is its turn.
    private boolean completeBroken() {
        if (receives().hasBroken()) {
            ReceiveTask task = receives().takeBroken();
            task.fail(CompletionStatus.WORK_REQUEST_FLUSHED);
            endBroken(task, Objects.requireNonNull(task.broken));
            return true;
        }
        if (brokenRequests == 0) {
            return false;
        }
        for (RdmaConnection connection : connections) {
            RequestTask task = connection.takeBroken();
            if (task != null) {
                brokenRequests--;
                ValidationRule broken = Objects.requireNonNull(task.broken);
                if (task.isAlwaysFatal()) {
                    failed(connection, FailureCause.Validation.of(broken));
                }
                endBroken(task, broken);
                return true;
            }
        }
        return false;
    }

    private void endBroken(RdmaTask task, ValidationRule broken) {
        end(task, broken.error(), FailureCause.Validation.of(broken));
    }

    private void end(RdmaTask task, DocaError status, @Nullable FailureCause cause) {
        task.markEnded(status, cause);
        taskEnded();
        engine().callback(pool(task).callback(status), task);
    }

    /// A queue pair may have failed because of what its peer sent, with nothing in flight here.
    private int lookForFailures() {
        for (int i = 0; i < connections.size(); i++) {
            RdmaConnection connection = connections.get(i);
            if (connection.hasFailed()) {
                failed(connection, FailureCause.Transport.of(CompletionStatus.GENERAL_ERROR));
                return 1;
            }
        }
        return 0;
    }

    // ---- stopping -------------------------------------------------------------------------------

    @Override
    protected void shut() {
        connections.forEach(RdmaConnection::shut);
    }

    @Override
    protected boolean isShut() {
        return connections.stream().allMatch(RdmaConnection::isIdle);
    }

    /// What no connection took ends when no connection is left that could.
    private int flushReceives() {
        if (!isShut() || hasCompletion) {
            return 0;
        }
        connections.forEach(RdmaConnection::close);
        int done = 0;
        while (next()) {
            complete();
            done++;
        }
        FailureCause cause = FailureCause.Transport.of(CompletionStatus.WORK_REQUEST_FLUSHED);
        for (ReceiveTask task : receives().takeAll()) {
            task.fail(CompletionStatus.WORK_REQUEST_FLUSHED);
            end(task, DocaError.BAD_STATE, cause);
            done++;
        }
        return done;
    }

    @Override
    protected void release() {
        connections.forEach(RdmaConnection::close);
        connections.clear();
        receives().close();
        Objects.requireNonNull(queue).close();
        receives = null;
        queue = null;
        hasCompletion = false;
    }

    @Override
    protected boolean arm() {
        if (state() == CtxState.IDLE) {
            return false;
        }
        CompletionQueue armed = Objects.requireNonNull(queue);
        armed.requestNotification(false);
        hasCompletion = hasCompletion || armed.poll(completion);
        return hasCompletion
                || brokenRequests > 0
                || receives().hasBroken()
                || connections.stream().anyMatch(RdmaConnection::hasFailed);
    }

    // ---- look-ups -------------------------------------------------------------------------------

    private ReceiveQueue receives() {
        return Objects.requireNonNull(receives);
    }

    private TaskPool<?> pool(RdmaTask task) {
        return Objects.requireNonNull(pools[task.type().ordinal()]);
    }

    private RdmaConnection connection(int id) {
        for (int i = 0; i < connections.size(); i++) {
            if (connections.get(i).id() == id) {
                return connections.get(i);
            }
        }
        throw new IllegalStateException("a task of connection " + id + ", which is gone");
    }

    private RdmaConnection connectionOf(int queuePairNumber) {
        for (int i = 0; i < connections.size(); i++) {
            if (connections.get(i).queuePairNumber() == queuePairNumber) {
                return connections.get(i);
            }
        }
        throw new IllegalStateException("queue pair " + queuePairNumber + " is gone");
    }
}
