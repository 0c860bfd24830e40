package dev.outboard.doca.rdma;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.spi.CompletionContext;
import dev.outboard.doca.spi.RdmaQueues;
import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.DeviceLimits;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The properties of an [Rdma] context, with their defaults, checked when they are set, and what
/// follows from them: for the queues, and for the queue pairs of connections. What each is for, and
/// what is thrown, stands at the setters of [Rdma].
final class RdmaConfiguration {
    static final int DEFAULT_LIST_LENGTH = 4;

    /// InfiniBand's code of 0.54 s. Of queues that programs post to, unless configured.
    private static final int PROGRAM_QUEUE_SIZE = 128;

    private static final int DEFAULT_TIMEOUT_CODE = 17;

    /// RDMA READs and atomics under way at a time; more wait.
    private static final int READ_DEPTH = 16;

    /// InfiniBand's code of 0.64 ms.
    private static final int DEFAULT_RNR_TIMER_CODE = 12;

    private static final int MAX_SERVICE_LEVEL = 15;

    /// A device on Ethernet is one IP address.
    private static final int GID_TABLE_SIZE = 1;

    private static final Duration MIN_KEEP_ALIVE = Duration.ofMillis(10);
    private static final Duration MAX_KEEP_ALIVE = Duration.ofDays(1);

    private static final Set<AccessFlag> REMOTE =
            EnumSet.of(AccessFlag.RDMA_READ, AccessFlag.RDMA_WRITE, AccessFlag.RDMA_ATOMIC);

    private final DeviceLimits limits;
    private final RdmaTaskTypes types;

    /// 0 for as many as tasks are enabled.
    private int sendQueueSize;

    private int recvQueueSize;

    private int maxSendBufListLen = DEFAULT_LIST_LENGTH;
    private int receiveDstBufListLen = DEFAULT_LIST_LENGTH;
    private Set<AccessFlag> permissions = EnumSet.noneOf(AccessFlag.class);
    private int mtu;
    private TransportType transport = TransportType.RC;
    private int serviceLevel;
    private int maxNumConnections = 1;
    private int rnrRetryCount = 6;
    private int minRnrTimer = DEFAULT_RNR_TIMER_CODE;
    private int retryCount = 7;
    private int timeoutCode = DEFAULT_TIMEOUT_CODE;
    private Duration keepAlive = Duration.ZERO;
    private Duration connectionRequestTimeout = Duration.ofSeconds(2);
    private @Nullable ConnectionHandler handler;
    private @Nullable ConnectionMode mode;

    RdmaConfiguration(DeviceLimits limits, RdmaTaskTypes types) {
        this.limits = limits;
        this.types = types;
        this.mtu = limits.pathMtuBytes();
    }

    // ---- queues ---------------------------------------------------------------------------------

    void sendQueueSize(int size) {
        sendQueueSize = queueSize("send queue size", size);
    }

    int sendQueueSize() {
        return sendQueueSize > 0 ? sendQueueSize : roundUp(types.enabledSends());
    }

    void recvQueueSize(int size) {
        recvQueueSize = queueSize("receive queue size", size);
    }

    int recvQueueSize() {
        return recvQueueSize > 0 ? recvQueueSize : roundUp(types.enabled(TaskType.RECEIVE));
    }

    private int queueSize(String name, int size) {
        atLeastOne(name, size);
        if (size > limits.maxWorkRequests()) {
            throw new DocaException(
                    DocaError.NOT_SUPPORTED,
                    "%s is %d; the device supports at most %d"
                            .formatted(name, size, limits.maxWorkRequests()));
        }
        return roundUp(size);
    }

    /// DRDMA-PROP-3, DRDMA-PROP-18: for all task types that send.
    void maxSendBufListLen(int length) {
        maxSendBufListLen = range("longest send list", length, 1, limits.maxScatterGather());
    }

    int maxSendBufListLen() {
        return maxSendBufListLen;
    }

    /// DRDMA-PROP-4, DRDMA-PROP-18: for receives.
    void receiveDstBufListLen(int length) {
        receiveDstBufListLen = range("longest receive list", length, 1, limits.maxScatterGather());
    }

    int receiveDstBufListLen() {
        return receiveDstBufListLen;
    }

    long messageLimit() {
        return limits.maxMessageBytes();
    }

    /// Per connection, with one for a probe.
    int maxSends() {
        return sendQueueSize() + (keepAlive.isZero() ? 0 : 1);
    }

    /// Of all connections and receives.
    ///
    /// @throws DocaException with NOT_SUPPORTED if the device cannot keep as many
    int maxCompletions() {
        if (maxSends() > limits.maxWorkRequests()) {
            throw new DocaException(
                    DocaError.NOT_SUPPORTED,
                    "a send queue of %d with keep-alive is more than the %d work requests the device can keep"
                            .formatted(sendQueueSize(), limits.maxWorkRequests()));
        }
        int sends = Math.multiplyExact(maxSends(), maxNumConnections);
        int capacity = Math.addExact(sends, recvQueueSize());
        if (capacity > limits.maxCompletions()) {
            throw new DocaException(
                    DocaError.NOT_SUPPORTED,
                    "%d connections with %d sends each and %d receives are more than the %d completions the device can keep"
                            .formatted(
                                    maxNumConnections,
                                    sendQueueSize(),
                                    recvQueueSize(),
                                    limits.maxCompletions()));
        }
        return capacity;
    }

    /// @throws DocaException with INVALID_VALUE unless a queue has room for a batch of `tasks`
    void requireRoom(Class<?> type, int tasks) {
        int room = type == ReceiveTask.class ? recvQueueSize() : sendQueueSize();
        if (tasks < 1 || tasks > room) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "a batch of %d tasks; valid: 1 to the %d that the queue has room for"
                            .formatted(tasks, room));
        }
    }

    // ---- transport ------------------------------------------------------------------------------

    /// DRDMA-PROP-7, DRDMA-PERM-1, DFLT-5: beside those of the memory.
    void permissions(AccessFlag... flags) {
        EnumSet<AccessFlag> remote = EnumSet.noneOf(AccessFlag.class);
        for (AccessFlag flag : flags) {
            if (DocaException.nonNull(flag, "one of the flags").name().startsWith("PCI")) {
                throw new DocaException(
                        DocaError.INVALID_VALUE,
                        flag + " is no permission of a connection; valid: " + REMOTE);
            }
            if (REMOTE.contains(flag)) {
                remote.add(flag);
            }
        }
        permissions = remote;
    }

    Set<AccessFlag> permissions() {
        return Set.copyOf(permissions);
    }

    /// DRDMA-PROP-6: the path's as InfiniBand knows it.
    void mtu(int bytes) {
        if (Integer.bitCount(bytes) != 1 || bytes < 256 || bytes > 4096) {
            throw invalid("mtu", bytes, "256, 512, 1024, 2048 or 4096 bytes");
        }
        if (bytes > limits.pathMtuBytes()) {
            throw new DocaException(
                    DocaError.NOT_SUPPORTED,
                    "mtu is %d bytes; the device's port carries at most %d"
                            .formatted(bytes, limits.pathMtuBytes()));
        }
        mtu = bytes;
    }

    int mtu() {
        return mtu;
    }

    /// DRDMA-PROP-12: 7 is for ever.
    void rnrRetryCount(int count) {
        rnrRetryCount = range("RNR retry count", count, 0, 7);
    }

    int rnrRetryCount() {
        return rnrRetryCount;
    }

    void minRnrTimer(int code) {
        minRnrTimer = range("RNR timer code", code, 0, 31);
    }

    int minRnrTimer() {
        return minRnrTimer;
    }

    /// DRDMA-PROP-15: repetitions of what nobody acknowledges.
    void retryCount(int count) {
        retryCount = range("retry count", count, 0, 7);
    }

    int retryCount() {
        return retryCount;
    }

    void timeoutCode(int code) {
        timeoutCode = range("timeout code", code, 1, 31);
    }

    int timeoutCode() {
        return timeoutCode;
    }

    /// DRDMA-PROP-5, DFLT-55: RC, and DC for programs of a DPA.
    void transportType(TransportType type, boolean forPrograms) {
        if (type != TransportType.RC && !forPrograms) {
            throw new DocaException(
                    DocaError.NOT_SUPPORTED,
                    "transport type is %s; supported: RC, and DC once the data path is on a DPA"
                            .formatted(type));
        }
        transport = type;
    }

    TransportType transportType() {
        return transport;
    }

    /// DRDMA-PROP-8: always, with RoCE.
    static void grhEnabled(boolean enabled) {
        if (!enabled) {
            throw new DocaException(
                    DocaError.NOT_SUPPORTED, "packets on Ethernet carry a global route header");
        }
    }

    /// DRDMA-PROP-9: a device has one address.
    static void gidIndex(int index) {
        range("GID index", index, 0, GID_TABLE_SIZE - 1);
    }

    /// DRDMA-PROP-10: the priority of its packets.
    void serviceLevel(int level) {
        serviceLevel = range("service level", level, 0, MAX_SERVICE_LEVEL);
    }

    int serviceLevel() {
        return serviceLevel;
    }

    // ---- connections ----------------------------------------------------------------------------

    /// DRDMA-PROP-11: room for so many at a time.
    void maxNumConnections(int count) {
        atLeastOne("number of connections", count);
        if (count > limits.maxQueuePairs()) {
            throw new DocaException(
                    DocaError.NOT_SUPPORTED,
                    "number of connections is %d; the device supports at most %d"
                            .formatted(count, limits.maxQueuePairs()));
        }
        maxNumConnections = count;
    }

    int maxNumConnections() {
        return maxNumConnections;
    }

    /// DRDMA-PROP-13: for the way to the peer and its answer.
    void connectionRequestTimeout(Duration timeout) {
        if (timeout.compareTo(Duration.ofMillis(1)) < 0) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "connection request timeout is " + timeout + "; valid: at least 1 ms");
        }
        connectionRequestTimeout = timeout;
    }

    Duration connectionRequestTimeout() {
        return connectionRequestTimeout;
    }

    void keepAlive(Duration interval) {
        boolean isOff = interval.isZero();
        if (!isOff
                && (interval.compareTo(MIN_KEEP_ALIVE) < 0
                        || interval.compareTo(MAX_KEEP_ALIVE) > 0)) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "keep-alive is %s; valid: 0, or %s to %s"
                            .formatted(interval, MIN_KEEP_ALIVE, MAX_KEEP_ALIVE));
        }
        keepAlive = interval;
    }

    Duration keepAlive() {
        return keepAlive;
    }

    /// DRDMA-CM-6, DRDMA-EVT-2: while idle; a GATED context has none.
    void handler(ConnectionHandler handler) {
        this.handler = handler;
    }

    /// Who is told about connections; null in mode GATED too.
    @Nullable ConnectionHandler handler() {
        return isGated() ? null : handler;
    }

    /// Who is told about the connections that `rdma` makes by address.
    ///
    /// @throws DocaException with NOT_PERMITTED in mode GATED or without a connection handler
    ConnectionHandler requireHandler(Rdma rdma) {
        ConnectionHandler told = handler();
        if (told == null) {
            throw new DocaException(
                    DocaError.NOT_PERMITTED,
                    "%s makes no connections by address in mode %s; they need OPEN and a connection handler"
                            .formatted(rdma, connectionMode()));
        }
        return told;
    }

    void connectionMode(ConnectionMode mode) {
        this.mode = mode;
    }

    /// DRDMA-PROP-14, DRDMA-STATE-2: follows from connections and handler unless it is set.
    ConnectionMode connectionMode() {
        if (mode != null) {
            return mode;
        }
        return maxNumConnections == 1 && handler == null && transport == TransportType.RC
                ? ConnectionMode.GATED
                : ConnectionMode.OPEN;
    }

    boolean isGated() {
        return connectionMode() == ConnectionMode.GATED;
    }

    /// The state in which connections can be made.
    ///
    /// DRDMA-CONN-6: GATED in STARTING, OPEN in RUNNING.
    CtxState connectableState() {
        return isGated() ? CtxState.STARTING : CtxState.RUNNING;
    }

    /// What programs of an execution environment post to.
    ///
    /// @throws DocaException with NOT_SUPPORTED if something is configured that takes tasks
    RdmaQueues.Attributes queues(
            Optional<CompletionContext> completions, Optional<RdmaQueues.OnDemand> onDemand) {
        if (!keepAlive.isZero()) {
            throw new DocaException(
                    DocaError.NOT_SUPPORTED,
                    "the keep-alive is %s; valid with a data path on a DPA: none"
                            .formatted(keepAlive));
        }
        return new RdmaQueues.Attributes(
                maxNumConnections,
                sendQueueSize > 0 ? sendQueueSize : PROGRAM_QUEUE_SIZE,
                recvQueueSize > 0 ? recvQueueSize : PROGRAM_QUEUE_SIZE,
                completions,
                onDemand);
    }

    // ---- what queue pairs are told --------------------------------------------------------------

    /// A queue pair exists.
    QueuePairChange initial() {
        return QueuePairChange.to(QueuePairState.INIT).access(AccessFlag.rights(permissions));
    }

    /// A queue pair learns whom it receives from.
    QueuePairChange readyToReceive(ConnectionBlob peer) {
        return QueuePairChange.to(QueuePairState.READY_TO_RECEIVE)
                .addressVector(AddressVector.to(peer.address()))
                .destinationNumber(peer.queuePairNumber())
                .pathMtu(Math.min(peer.mtu(), mtu))
                .receivePsn(peer.psn())
                .peerGuid(peer.guid())
                .maxDestinationReadAtomic(READ_DEPTH)
                .minRnrTimer(minRnrTimer);
    }

    /// A queue pair may send from now on, beginning with this number.
    QueuePairChange readyToSend(int psn) {
        return QueuePairChange.to(QueuePairState.READY_TO_SEND)
                .sendPsn(psn)
                .timeout(timeoutCode)
                .retryCount(retryCount)
                .rnrRetryCount(rnrRetryCount)
                .maxReadAtomic(READ_DEPTH);
    }

    /// What the context decides, whatever the connection manager would take.
    QueuePairChange preferences() {
        return QueuePairChange.to(QueuePairState.READY_TO_SEND)
                .access(AccessFlag.rights(permissions))
                .pathMtu(mtu)
                .minRnrTimer(minRnrTimer)
                .timeout(timeoutCode)
                .retryCount(retryCount)
                .rnrRetryCount(rnrRetryCount);
    }

    /// What the connection manager tells the peer, with `data` of the application.
    ConnectionParameters parameters(byte[] data) {
        return new ConnectionParameters(READ_DEPTH, READ_DEPTH, retryCount, rnrRetryCount, data);
    }

    // ---- numbers --------------------------------------------------------------------------------

    static int range(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw invalid(name, value, min + " to " + max);
        }
        return value;
    }

    private static int atLeastOne(String name, int value) {
        if (value < 1) {
            throw invalid(name, value, "at least 1");
        }
        return value;
    }

    /// The next power of two.
    ///
    /// DRDMA-PROP-1, DRDMA-PROP-2: queue sizes are powers of two.
    static int roundUp(int size) {
        return size <= 1 ? 1 : Integer.highestOneBit(size - 1) << 1;
    }

    private static DocaException invalid(String name, int value, String valid) {
        return new DocaException(
                DocaError.INVALID_VALUE, "%s is %d; valid: %s".formatted(name, value, valid));
    }
}
