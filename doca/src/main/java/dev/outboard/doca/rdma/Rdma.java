package dev.outboard.doca.rdma;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.BatchSize;
import dev.outboard.doca.Buf;
import dev.outboard.doca.Ctx;
import dev.outboard.doca.CtxRun;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.ProgressEngine;
import dev.outboard.doca.TaskBatch;
import dev.outboard.doca.TaskPool;
import dev.outboard.doca.spi.CompletionContext;
import dev.outboard.doca.spi.ExecutionEnvironment;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
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
    private final RdmaTaskTypes types = new RdmaTaskTypes();
    private final RdmaConfiguration configuration;
    private final RdmaControlPath control;

    /// The one since the last start.
    private @Nullable RdmaDataPath dataPath;

    private final RdmaPrograms programs = new RdmaPrograms(this);

    /// A context on `device`, which cannot be closed before the context is.
    ///
    /// @throws DocaException with BAD_STATE if the device is closed
    public Rdma(DocaDev device) {
        super(device);
        configuration = new RdmaConfiguration(device.protectionDomain().device().limits(), types);
        control = new RdmaControlPath(this, owner(), configuration);
    }

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

    // ---- data path of programs ------------------------------------------------------------------

    /// DRDMA-DPA-1: programs of a data-path accelerator post the operations, instead of tasks
    /// (`doca_ctx_set_datapath_on_dpa`). Connections are made by details. The context needs no
    /// progress engine; with one, it hears of connections that fail. Queues have 128 entries unless
    /// configured.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, with NOT_SUPPORTED if `dpa` is none
    public Rdma datapathOnDpa(ExecutionEnvironment dpa) {
        return set(programs::of, DocaException.nonNull(dpa, "dpa"));
    }

    /// What completes goes there, and programs find it (`doca_rdma_dpa_completion_attach`).
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, with INVALID_VALUE if it is not of the
    ///   environment of the data path
    public Rdma completions(CompletionContext context) {
        return set(programs::completions, DocaException.nonNull(context, "context"));
    }

    /// What programs of the DPA know it by (`doca_rdma_get_dpa_handle`).
    ///
    /// @throws DocaException with BAD_STATE unless started with its data path on a DPA
    public long dpaHandle() {
        requireState(CtxState.RUNNING, "known to a DPA");
        return programs.handle();
    }

    // ---- connections ----------------------------------------------------------------------------

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
            case RUNNING -> control.isConnected() ? RdmaState.CONNECTED : RdmaState.INIT;
        };
    }

    /// The connection that waits for its peer, whose [RdmaConnection#details] the peer needs: with
    /// GATED always the same, with OPEN a new one.
    ///
    /// @throws DocaException with BAD_STATE unless started, with FULL if there are
    ///   [#maxNumConnections], with NO_MEMORY if the device has no room for it
    public RdmaConnection export() {
        return control.export();
    }

    /// Listens to `port` of the device's address, [dev.outboard.doca.DocaDev#address]: peers that
    /// ask for a connection come to [ConnectionHandler#requested]. Requests beyond
    /// [#maxNumConnections] are rejected.
    ///
    /// @param port 1 to 65535; 0 takes a free one
    /// @return the port
    /// @throws DocaException with INVALID_VALUE if there is no such port, with BAD_STATE unless
    ///   running, with NOT_PERMITTED in mode GATED or without a connection handler, with IN_USE if
    ///   somebody listens to it already
    public int listen(int port) {
        RdmaConfiguration.range("port", port, 0, RdmaAddress.MAX_PORT);
        return control.listen(port);
    }

    /// Ends what [#listen] began, and the wait of a thread in [ProgressEngine#await]; connections
    /// live on.
    ///
    /// @throws DocaException with BAD_STATE unless running, with NOT_FOUND if it does not listen
    public void stopListen(int port) {
        control.stopListen(port);
    }

    /// Asks who listens at `address` for a connection, and returns at once: what becomes of it is
    /// told to [ConnectionHandler#established] or [ConnectionHandler#failed].
    ///
    /// @param userData for [RdmaConnection#userData]
    /// @throws DocaException with BAD_STATE unless running, with NOT_PERMITTED in mode GATED or
    ///   without a connection handler, with FULL if there are [#maxNumConnections], with NO_MEMORY
    ///   if the device has no room for it
    public RdmaConnection connectTo(RdmaAddress address, @Nullable Object userData) {
        DocaException.nonNull(address, "address");
        return control.connectTo(address, userData);
    }

    /// Requests of peers that were rejected because there were [#maxNumConnections] already, or
    /// because the device had no room for one more.
    public long refusedRequests() {
        return control.refusedRequests();
    }

    // ---- properties -----------------------------------------------------------------------------

    /// Send-side tasks in flight at most, per connection; rounded up to a power of two. By default
    /// as many as are enabled.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, INVALID_VALUE below 1, NOT_SUPPORTED above
    ///   what the device can do
    public Rdma sendQueueSize(int size) {
        return set(configuration::sendQueueSize, size);
    }

    /// Send-side tasks in flight at most, per connection, a power of two.
    public int sendQueueSize() {
        return configuration.sendQueueSize();
    }

    /// Receives in flight at most; rounded up to a power of two. By default as many as are enabled.
    ///
    /// @throws DocaException as [#sendQueueSize]
    public Rdma recvQueueSize(int size) {
        return set(configuration::recvQueueSize, size);
    }

    /// Receives in flight at most, a power of two.
    public int recvQueueSize() {
        return configuration.recvQueueSize();
    }

    /// Buffers in a list of any task that is sent to the peer, at most; 4 by default.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, INVALID_VALUE above what the device can do
    public Rdma maxSendBufListLen(int length) {
        return set(configuration::maxSendBufListLen, length);
    }

    /// Buffers in a list of any task that is sent to the peer, at most.
    public int maxSendBufListLen() {
        return configuration.maxSendBufListLen();
    }

    /// Buffers in the list of a receive at most; 4 by default.
    ///
    /// @throws DocaException as [#maxSendBufListLen]
    public Rdma receiveDstBufListLen(int length) {
        return set(configuration::receiveDstBufListLen, length);
    }

    /// Buffers in the list of a receive at most.
    public int receiveDstBufListLen() {
        return configuration.receiveDstBufListLen();
    }

    /// What peers may do over this context, if the memory permits it too; nothing by default. The
    /// LOCAL flags are ignored.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, INVALID_VALUE for PCI flags
    public Rdma permissions(AccessFlag... flags) {
        return set(configuration::permissions, DocaException.nonNull(flags, "flags"));
    }

    /// What peers may do over this context: RDMA flags only.
    public Set<AccessFlag> permissions() {
        return configuration.permissions();
    }

    /// Payload of one packet: 256 to 4096 bytes, the device's by default. A connection uses the
    /// smaller one of both sides.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, INVALID_VALUE for any other number,
    ///   NOT_SUPPORTED above what the port carries
    public Rdma mtu(int bytes) {
        return set(configuration::mtu, bytes);
    }

    /// Payload of one packet at most, in bytes.
    public int mtu() {
        return configuration.mtu();
    }

    /// How often a message is repeated when the peer has no receive: 0 to 7, 7 for ever; 6 by
    /// default.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, INVALID_VALUE out of range
    public Rdma rnrRetryCount(int count) {
        return set(configuration::rnrRetryCount, count);
    }

    /// How often a message is repeated when the peer has no receive; 7 is for ever.
    public int rnrRetryCount() {
        return configuration.rnrRetryCount();
    }

    /// InfiniBand's code for how long a peer waits at least when its message finds no receive here,
    /// 0 to 31; 12 (0.64 ms) by default. Asked again for the same message it waits about four times
    /// as long each time, so that with the default of [#rnrRetryCount] at the peer a receive may be
    /// 0.8 seconds late.
    ///
    /// @throws DocaException as [#rnrRetryCount]
    public Rdma minRnrTimer(int code) {
        return set(configuration::minRnrTimer, code);
    }

    /// InfiniBand's code for how long a peer waits at least when its message finds no receive here.
    public int minRnrTimer() {
        return configuration.minRnrTimer();
    }

    /// How often what the peer does not acknowledge is repeated: 0 to 7; 7 by default.
    ///
    /// @throws DocaException as [#rnrRetryCount]
    public Rdma retryCount(int count) {
        return set(configuration::retryCount, count);
    }

    /// How often what the peer does not acknowledge is repeated.
    public int retryCount() {
        return configuration.retryCount();
    }

    /// InfiniBand's code for how long an acknowledgement may take, 1 to 31: 4.096 us times two to
    /// the power of it; 17 (0.54 s) by default.
    ///
    /// @throws DocaException as [#rnrRetryCount]
    public Rdma timeoutCode(int code) {
        return set(configuration::timeoutCode, code);
    }

    /// InfiniBand's code for how long an acknowledgement may take.
    public int timeoutCode() {
        return configuration.timeoutCode();
    }

    /// The transport; RC by default. With DC, whose data path is on a DPA, each connection names a
    /// peer that is a context with DC as well; a program that posts to it gets a queue pair, one of
    /// at most 16 that the context has at a time, and loses it when it is idle.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, NOT_SUPPORTED for DC unless the data path
    ///   is on a DPA already
    public Rdma transportType(TransportType type) {
        requireIdle("configured");
        configuration.transportType(DocaException.nonNull(type, "type"), programs.post());
        return this;
    }

    /// The transport.
    public TransportType transportType() {
        return configuration.transportType();
    }

    /// Whether packets carry a global route header; true by default.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, NOT_SUPPORTED for false: RoCE needs it
    public Rdma grhEnabled(boolean enabled) {
        return set(RdmaConfiguration::grhEnabled, enabled);
    }

    /// Whether packets carry a global route header: always true.
    public boolean grhEnabled() {
        return true;
    }

    /// Which GID of the device it uses; 0 by default.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, INVALID_VALUE if the device has no such
    ///   GID
    public Rdma gidIndex(int index) {
        return set(RdmaConfiguration::gidIndex, index);
    }

    /// Which GID of the device it uses: always 0.
    public int gidIndex() {
        return 0;
    }

    /// InfiniBand's service level, 0 to 15; 0 by default. Packets on Ethernet do not carry it.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, INVALID_VALUE out of range
    public Rdma serviceLevel(int level) {
        return set(configuration::serviceLevel, level);
    }

    /// InfiniBand's service level.
    public int serviceLevel() {
        return configuration.serviceLevel();
    }

    /// Connections at most; 1 by default.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, INVALID_VALUE below 1, NOT_SUPPORTED above
    ///   what the device can do
    public Rdma maxNumConnections(int count) {
        return set(configuration::maxNumConnections, count);
    }

    /// Connections at most.
    public int maxNumConnections() {
        return configuration.maxNumConnections();
    }

    /// How long a connection by address may take to come about: for who asks from [Rdma#connectTo]
    /// on, finding the way included, and for who is asked from [RdmaConnection#accept] on; 2
    /// seconds by default. Then it fails with TIME_OUT.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, INVALID_VALUE below 1 millisecond
    public Rdma connectionRequestTimeout(Duration timeout) {
        return set(
                configuration::connectionRequestTimeout, DocaException.nonNull(timeout, "timeout"));
    }

    /// How long a connection by address may take to come about.
    public Duration connectionRequestTimeout() {
        return configuration.connectionRequestTimeout();
    }

    /// How long a connection may be silent before the peer is asked whether it is there, by a write
    /// of nothing that its application does not notice; off by default, which is ZERO. A peer that
    /// does not answer, and so one that is gone, ends its connection as any failure does, once the
    /// retries are used up: with the defaults about 5 seconds later.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, INVALID_VALUE if it is neither ZERO nor
    ///   between 10 milliseconds and a day
    public Rdma keepAlive(Duration interval) {
        return set(configuration::keepAlive, DocaException.nonNull(interval, "interval"));
    }

    /// How long a connection may be silent before the peer is asked whether it is there; ZERO if it
    /// never is.
    public Duration keepAlive() {
        return configuration.keepAlive();
    }

    /// Sets who is told about connections by address, and about the end of any connection in mode
    /// OPEN.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE
    public Rdma onConnection(ConnectionHandler newHandler) {
        requireIdle("given a connection handler");
        configuration.handler(DocaException.nonNull(newHandler, "newHandler"));
        return this;
    }

    /// How connections begin. By default GATED if there is at most one, and no connection handler.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE
    public Rdma connectionMode(ConnectionMode mode) {
        return set(configuration::connectionMode, DocaException.nonNull(mode, "mode"));
    }

    /// How connections begin: what was set, or what follows from the other properties.
    public ConnectionMode connectionMode() {
        return configuration.connectionMode();
    }

    private Rdma set(IntConsumer property, int value) {
        requireIdle("configured");
        property.accept(value);
        return this;
    }

    private <T> Rdma set(Consumer<T> property, T value) {
        requireIdle("configured");
        property.accept(value);
        return this;
    }

    // ---- tasks ----------------------------------------------------------------------------------

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

    private Rdma enable(TaskType type, TaskPool<?> pool) {
        requireIdle("configured");
        types.enable(type, pool);
        return this;
    }

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
        return enableBatch(
                type,
                size,
                new TaskPool<>(RdmaTaskTypes.batchesOf(type), onSuccess, onError, count));
    }

    /// Enables batches without callbacks; see [#batch(Class, BatchSize, Consumer, Consumer, int)].
    public <T extends RdmaTask> Rdma batch(Class<T> type, BatchSize size, int count) {
        return enableBatch(type, size, new TaskPool<>(RdmaTaskTypes.batchesOf(type), count));
    }

    private Rdma enableBatch(Class<?> type, BatchSize size, TaskPool<?> pool) {
        requireIdle("configured");
        types.enableBatches(type, DocaException.nonNull(size, "size"), pool);
        return this;
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
        configuration.requireRoom(type, tasks.size());
        RdmaTaskTypes.Batches enabled = types.batches(type);
        return allocateBatch(enabled.pool(), enabled.name(), enabled.size(), tasks);
    }

    // ---- for what it consists of ----------------------------------------------------------------

    @Override
    protected boolean needsProgress() {
        return !programs.post();
    }

    @Override
    protected CtxRun open() {
        if (programs.post()) {
            return programs.open(owner(), configuration, control);
        }
        RdmaRun run = RdmaRun.open(this, owner(), configuration, control);
        dataPath = run.dataPath();
        return run;
    }

    <T extends RdmaTask> T allocated(TaskType type, Supplier<T> creation) {
        programs.requireNone("has no tasks");
        return allocate(types.pool(type), type, creation);
    }

    DocaError submit(RdmaTask task, boolean strictly, boolean flushing) {
        return Objects.requireNonNull(dataPath).submit(task, strictly, flushing);
    }

    RdmaPrograms programs() {
        return programs;
    }

    long messageLimit() {
        return configuration.messageLimit();
    }
}
