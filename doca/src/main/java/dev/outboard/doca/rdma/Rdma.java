package dev.outboard.doca.rdma;

import dev.outboard.doca.Buf;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.FailureCause;
import dev.outboard.doca.ProgressEngine;
import dev.outboard.doca.Task;
import dev.outboard.doca.TaskPool;
import dev.outboard.doca.ValidationRule;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import java.security.SecureRandom;
import java.util.Objects;
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
public final class Rdma extends RdmaConfiguration {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int MAX_PSN = 1 << 24;

    private final Completion completion = new Completion();

    /// Taken while looking whether there was one.
    private boolean hasCompletion;

    private @Nullable CompletionQueue queue;
    private @Nullable ReceiveQueue receives;
    private Connections connections = new Connections(0);
    private int nextConnectionId;

    /// A context on `device`.
    public Rdma(DocaDev device) {
        super(device);
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
                yield connections.isConnected() ? RdmaState.CONNECTED : RdmaState.INIT;
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
            RdmaConnection only = connections.first();
            if (only == null) {
                requireState(CtxState.STARTING, "exported");
            }
            return Objects.requireNonNull(only);
        } finally {
            engine.exit();
        }
    }

    private RdmaConnection createConnection() {
        if (connections.isFull()) {
            throw new DocaException(
                    DocaError.FULL,
                    this + " has all of its " + maxNumConnections() + " connections");
        }
        QueuePair queuePair =
                device().protectionDomain()
                        .createQueuePair(
                                QueuePairAttributes.of(
                                                Objects.requireNonNull(queue), sendQueueSize(), 1)
                                        .withSharedReceiveQueue(receives().queue())
                                        .withMaxScatterGather(maxSendBufListLen()));
        queuePair.modify(QueuePairChange.to(QueuePairState.INIT).access(settings().access()));
        RdmaConnection connection =
                new RdmaConnection(
                        this,
                        nextConnectionId++,
                        connections.freeSlot(),
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

    long messageLimit() {
        return settings().limits().maxMessageBytes();
    }

    int receiveListLimit() {
        return receiveDstBufListLen();
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
            TaskPool<?> pool = pool(type);
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
        poolOf((RdmaTask) task).freed();
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
            connections.brokenAdded();
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
        int sends = Math.multiplyExact(sendQueueSize(), maxNumConnections());
        int capacity = Math.addExact(sends, recvQueueSize());
        if (capacity > settings().limits().maxCompletions()) {
            throw new DocaException(
                    DocaError.NOT_SUPPORTED,
                    "%d connections with %d sends each and %d receives are more than the %d completions the device can keep"
                            .formatted(
                                    maxNumConnections(),
                                    sendQueueSize(),
                                    recvQueueSize(),
                                    settings().limits().maxCompletions()));
        }
        queue = verbs().createCompletionQueue(capacity, engine.channel(verbs()));
        connections = new Connections(maxNumConnections());
        receives = new ReceiveQueue(device(), recvQueueSize(), receiveDstBufListLen());
        if (connectionMode() == ConnectionMode.OPEN) {
            return CtxState.RUNNING;
        }
        createConnection();
        return CtxState.STARTING;
    }

    @Override
    protected int poll(int max) {
        int done = 0;
        if (state() == CtxState.STARTING && connections.isConnected()) {
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
            completeRequest(connections.inSlot((int) id));
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
        RdmaConnection connection = connections.ofQueuePair(completion.queuePairNumber());
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
        RequestTask task = connections.takeBroken();
        if (task == null) {
            return false;
        }
        ValidationRule broken = Objects.requireNonNull(task.broken);
        if (task.isAlwaysFatal()) {
            failed(task.connection(), FailureCause.Validation.of(broken));
        }
        endBroken(task, broken);
        return true;
    }

    private void endBroken(RdmaTask task, ValidationRule broken) {
        end(task, broken.error(), FailureCause.Validation.of(broken));
    }

    private void end(RdmaTask task, DocaError status, @Nullable FailureCause cause) {
        task.markEnded(status, cause);
        taskEnded();
        engine().callback(poolOf(task).callback(status), task);
    }

    /// A queue pair may have failed because of what its peer sent, with nothing in flight here.
    private int lookForFailures() {
        RdmaConnection connection = connections.nextFailed();
        if (connection == null) {
            return 0;
        }
        failed(connection, FailureCause.Transport.of(CompletionStatus.GENERAL_ERROR));
        return 1;
    }

    // ---- stopping -------------------------------------------------------------------------------

    @Override
    protected void shut() {
        connections.shut();
    }

    @Override
    protected boolean isShut() {
        return connections.isIdle();
    }

    /// What no connection took ends when no connection is left that could.
    private int flushReceives() {
        if (!isShut() || hasCompletion) {
            return 0;
        }
        connections.close();
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
        connections.close();
        connections = new Connections(0);
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
                || connections.hasBroken()
                || receives().hasBroken()
                || connections.hasFailed();
    }

    // ---- look-ups -------------------------------------------------------------------------------

    private ReceiveQueue receives() {
        return Objects.requireNonNull(receives);
    }

    private TaskPool<?> poolOf(RdmaTask task) {
        return Objects.requireNonNull(pool(task.type()));
    }
}
