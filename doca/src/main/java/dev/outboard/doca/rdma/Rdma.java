package dev.outboard.doca.rdma;

import dev.outboard.doca.BatchSize;
import dev.outboard.doca.Buf;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.ProgressEngine;
import dev.outboard.doca.TaskBatch;
import dev.outboard.doca.TaskPool;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
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
public final class Rdma extends RdmaDataPath {
    /// The batches of a type that are enabled.
    private record Batches(BatchSize size, TaskPool<?> pool) {}

    private final Map<Class<?>, Batches> batches = new HashMap<>();
    private long refusedRequests;

    /// A context on `device`, which cannot be closed before the context is.
    ///
    /// @throws DocaException with BAD_STATE if the device is closed
    public Rdma(DocaDev device) {
        super(device);
    }

    // ---- connections ----------------------------------------------------------------------------

    @Override
    public Rdma attach(ProgressEngine newEngine) {
        super.attach(newEngine);
        return this;
    }

    @Override
    public Rdma onStateChange(StateListener newListener) {
        super.onStateChange(newListener);
        return this;
    }

    @Override
    public Rdma userData(@Nullable Object newUserData) {
        super.userData(newUserData);
        return this;
    }

    /// What the communication is ready for.
    ///
    /// DRDMA-STATE-1, DRDMA-STATE-7: from the state of the context.
    public RdmaState rdmaState() {
        if (stopCause().isPresent()) {
            return state() == CtxState.STOPPING ? RdmaState.ERROR : RdmaState.RESET;
        }
        return switch (state()) {
            case IDLE, STOPPING -> RdmaState.RESET;
            case STARTING -> RdmaState.INIT;
            case RUNNING -> connections().isConnected() ? RdmaState.CONNECTED : RdmaState.INIT;
        };
    }

    /// The connection that waits for its peer, whose [RdmaConnection#details] the peer needs: with
    /// GATED always the same, with OPEN a new one.
    ///
    /// @throws DocaException with BAD_STATE unless started, with FULL if there are
    ///   [#maxNumConnections]
    public RdmaConnection export() {
        return exclusively(this::exportNow);
    }

    /// DRDMA-CONN-1, DRDMA-CONN-2, DFLT-40: not before the start.
    private RdmaConnection exportNow() {
        if (connectionMode() == ConnectionMode.OPEN) {
            requireState(CtxState.RUNNING, "exported");
            return createConnection(null);
        }
        if (state() != CtxState.RUNNING) {
            requireState(CtxState.STARTING, "exported");
        }
        return Objects.requireNonNull(connections().first());
    }

    /// Listens to `port` of the device's address, [dev.outboard.doca.DocaDev#address]: peers that
    /// ask for a connection come to [ConnectionHandler#requested]. Requests beyond
    /// [#maxNumConnections] are rejected.
    ///
    /// DRDMA-CM-2: while running.
    ///
    /// @param port 1 to 65535; 0 takes a free one
    /// @return the port
    /// @throws DocaException with INVALID_VALUE if there is no such port, with BAD_STATE unless
    ///   running, with NOT_PERMITTED in mode GATED or without a connection handler, with IN_USE if
    ///   somebody listens to it already
    public int listen(int port) {
        RdmaSettings.range("port", port, 0, RdmaAddress.MAX_PORT);
        return exclusively(() -> serviceFor("told to listen").listen(port));
    }

    /// Ends what [#listen] began, and the wait of a thread in [ProgressEngine#await]; connections
    /// live on.
    ///
    /// DRDMA-CM-4: connections live on.
    ///
    /// @throws DocaException with BAD_STATE unless running, with NOT_FOUND if it does not listen
    public void stopListen(int port) {
        exclusively(() -> serviceFor("told not to listen").stopListen(port));
        wake();
    }

    /// Asks who listens at `address` for a connection, and returns at once: what becomes of it is
    /// told to [ConnectionHandler#established] or [ConnectionHandler#failed].
    ///
    /// DRDMA-CM-5: returns at once.
    ///
    /// @param userData for [RdmaConnection#userData]
    /// @throws DocaException with BAD_STATE unless running, with NOT_PERMITTED in mode GATED or
    ///   without a connection handler, with FULL if there are [#maxNumConnections]
    public RdmaConnection connectTo(RdmaAddress address, @Nullable Object userData) {
        DocaException.nonNull(address, "address");
        return exclusively(() -> serviceFor("connected").connect(address, userData));
    }

    /// Requests of peers that were rejected because there were [#maxNumConnections] already.
    public long refusedRequests() {
        return refusedRequests;
    }

    /// A peer asks for a connection.
    ///
    /// DRDMA-CM-13: one too many is refused and counted, without a callback.
    ///
    /// @return why it cannot have one, which is counted; empty if it may
    String refusal() {
        boolean isRunning = state() == CtxState.RUNNING;
        if (isRunning && !connections().isFull()) {
            return "";
        }
        refusedRequests++;
        return isRunning
                ? "full: all of its %d connections are in use".formatted(maxNumConnections())
                : "it is being stopped";
    }

    /// DRDMA-CONN-6: GATED in STARTING, OPEN in RUNNING.
    void requireConnectable() {
        boolean isGated = connectionMode() == ConnectionMode.GATED;
        requireState(isGated ? CtxState.STARTING : CtxState.RUNNING, "connected");
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

    /// Allocates a receive of messages without payload, and of immediates of writes; see
    /// [#allocReceive(Buf)].
    public ReceiveTask allocReceive() {
        return allocReceive(null);
    }

    // ---- batches --------------------------------------------------------------------------------

    /// Enables batches of tasks of a type, which has to be enabled itself for as many tasks as
    /// there are in them.
    ///
    /// @param size how many tasks a batch may have
    /// @param onSuccess runs in [ProgressEngine#progress] for each batch of which all succeeded
    /// @param onError runs there for each other one
    /// @param count how many batches may be allocated at once
    /// @throws DocaException with BAD_STATE unless IDLE, INVALID_VALUE if a callback is missing or
    ///   `count` is below 1
    public <T extends RdmaTask> Rdma batch(
            Class<T> type,
            BatchSize size,
            Consumer<? super TaskBatch<T>> onSuccess,
            Consumer<? super TaskBatch<T>> onError,
            int count) {
        return enableBatch(type, size, new TaskPool<>(named(type), onSuccess, onError, count));
    }

    /// Enables batches without callbacks; see [#batch(Class, BatchSize, Consumer, Consumer, int)].
    public <T extends RdmaTask> Rdma batch(Class<T> type, BatchSize size, int count) {
        return enableBatch(type, size, new TaskPool<>(named(type), count));
    }

    private Rdma enableBatch(Class<?> type, BatchSize size, TaskPool<?> pool) {
        requireIdle("configured");
        batches.put(type, new Batches(DocaException.nonNull(size, "size"), pool));
        return this;
    }

    private static String named(Class<?> type) {
        DocaException.nonNull(type, "type");
        return "batches of " + type.getSimpleName();
    }

    /// Allocates a batch of tasks of this context, which are freed with it.
    ///
    /// @param tasks of one type, each once; of several connections too
    /// @throws DocaException with INVALID_VALUE if they cannot be a batch, or are more than
    ///   [#sendQueueSize], of receives [#recvQueueSize]; with BAD_STATE unless running, with
    ///   NOT_PERMITTED if such batches are not enabled, with NO_MEMORY if all are allocated
    public <T extends RdmaTask> TaskBatch<T> allocBatch(List<T> tasks) {
        DocaException.nonNull(tasks, "tasks");
        Class<?> type = tasks.isEmpty() ? RdmaTask.class : tasks.getFirst().getClass();
        int room = type == ReceiveTask.class ? recvQueueSize() : sendQueueSize();
        if (tasks.isEmpty() || tasks.size() > room) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "a batch of %d tasks; valid: 1 to the %d that the queue has room for"
                            .formatted(tasks.size(), room));
        }
        Batches enabled = batches.get(type);
        return enabled == null
                ? allocateBatch(null, named(type), BatchSize.TASKS_128, tasks)
                : allocateBatch(enabled.pool, named(type), enabled.size, tasks);
    }
}
