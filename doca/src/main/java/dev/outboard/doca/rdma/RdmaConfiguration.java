package dev.outboard.doca.rdma;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.Ctx;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.TaskPool;
import dev.outboard.fabric.Device;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What can be set on an [Rdma] context while it is IDLE: its properties, and the types of task it
/// is to run.
abstract sealed class RdmaConfiguration extends Ctx permits RdmaDataPath {
    private static final int MAX_SERVICE_LEVEL = 15;

    /// A device on Ethernet is one IP address.
    private static final int GID_TABLE_SIZE = 1;

    private final RdmaSettings settings;
    private @Nullable ConnectionHandler handler;
    private final @Nullable TaskPool<?>[] pools = new TaskPool<?>[TaskType.values().length];

    RdmaConfiguration(DocaDev device) {
        super(device);
        settings = new RdmaSettings(verbs().limits());
    }

    final Device verbs() {
        return device().protectionDomain().device();
    }

    final RdmaSettings settings() {
        return settings;
    }

    /// What tasks of a type need; null if they are not enabled.
    final @Nullable TaskPool<?> pool(TaskType type) {
        return pools[type.ordinal()];
    }

    final Rdma self() {
        return (Rdma) this;
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
        return self();
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
        return self();
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
        return self();
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
        return self();
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
        settings.setPermissions(Set.of(Objects.requireNonNull(flags, "flags")));
        return self();
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
        return self();
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
        return self();
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
        return self();
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
        return self();
    }

    public int timeoutCode() {
        return settings.timeoutCode;
    }

    /// The transport; RC by default.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, NOT_SUPPORTED for DC
    public Rdma transportType(TransportType type) {
        requireIdle("configured");
        if (type != TransportType.RC) {
            throw new DocaException(
                    DocaError.NOT_SUPPORTED, "transport type is " + type + "; supported: RC");
        }
        return self();
    }

    public TransportType transportType() {
        return TransportType.RC;
    }

    /// Whether packets carry a global route header; true by default.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, NOT_SUPPORTED for false: RoCE needs it
    public Rdma grhEnabled(boolean enabled) {
        requireIdle("configured");
        if (!enabled) {
            throw new DocaException(
                    DocaError.NOT_SUPPORTED, "packets on Ethernet carry a global route header");
        }
        return self();
    }

    public boolean grhEnabled() {
        return true;
    }

    /// Which GID of the device it uses; 0 by default.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, INVALID_VALUE if the device has no such
    ///   GID
    public Rdma gidIndex(int index) {
        requireIdle("configured");
        RdmaSettings.range("GID index", index, 0, GID_TABLE_SIZE - 1);
        return self();
    }

    public int gidIndex() {
        return 0;
    }

    /// InfiniBand's service level, 0 to 15; 0 by default. Packets on Ethernet do not carry it.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, INVALID_VALUE out of range
    public Rdma serviceLevel(int level) {
        requireIdle("configured");
        settings.serviceLevel = RdmaSettings.range("service level", level, 0, MAX_SERVICE_LEVEL);
        return self();
    }

    public int serviceLevel() {
        return settings.serviceLevel;
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
        return self();
    }

    public int maxNumConnections() {
        return settings.maxConnections;
    }

    /// How long it may take to find the way to a peer; 2 seconds by default.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, INVALID_VALUE below 1 millisecond
    public Rdma connectionRequestTimeout(Duration timeout) {
        requireIdle("configured");
        if (timeout.compareTo(Duration.ofMillis(1)) < 0) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "connection request timeout is " + timeout + "; valid: at least 1 ms");
        }
        settings.connectionRequestTimeout = timeout;
        return self();
    }

    public Duration connectionRequestTimeout() {
        return settings.connectionRequestTimeout;
    }

    /// Sets who is told about connections by address, and about the end of any connection in mode
    /// OPEN.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE
    public Rdma onConnection(ConnectionHandler newHandler) {
        requireIdle("given a connection handler");
        handler = Objects.requireNonNull(newHandler, "newHandler");
        return self();
    }

    /// Who is told about connections; null in mode GATED too.
    final @Nullable ConnectionHandler handler() {
        return connectionMode() == ConnectionMode.OPEN ? handler : null;
    }

    /// How connections begin. By default GATED if there is at most one, and no connection handler.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE
    public Rdma connectionMode(ConnectionMode mode) {
        requireIdle("configured");
        settings.mode = Objects.requireNonNull(mode, "mode");
        return self();
    }

    public ConnectionMode connectionMode() {
        if (settings.mode != null) {
            return settings.mode;
        }
        return settings.maxConnections == 1 && handler == null
                ? ConnectionMode.GATED
                : ConnectionMode.OPEN;
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

    /// Enables receives without callbacks, for who looks at [Task#isInFlight] and [Task#status].
    ///
    /// @param count how many may be allocated at once
    /// @throws DocaException with BAD_STATE unless IDLE, INVALID_VALUE if `count` is below 1
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
        pools[type.ordinal()] = pool;
        return self();
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
}
