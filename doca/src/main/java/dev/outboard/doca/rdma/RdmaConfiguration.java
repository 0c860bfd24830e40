package dev.outboard.doca.rdma;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.fabric.Device;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The properties of an [Rdma] context, set while it is IDLE.
abstract sealed class RdmaConfiguration extends RdmaTaskTypes permits RdmaDataPath {
    private static final int MAX_SERVICE_LEVEL = 15;

    /// A device on Ethernet is one IP address.
    private static final int GID_TABLE_SIZE = 1;

    private static final Duration MIN_KEEP_ALIVE = Duration.ofMillis(10);
    private static final Duration MAX_KEEP_ALIVE = Duration.ofDays(1);

    private final RdmaSettings settings;
    private @Nullable ConnectionHandler handler;

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

    /// Send-side tasks in flight at most, per connection, a power of two.
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

    /// Receives in flight at most, a power of two.
    public int recvQueueSize() {
        return settings.recvQueueSize > 0
                ? settings.recvQueueSize
                : RdmaSettings.roundUp(enabled(TaskType.RECEIVE));
    }

    /// Buffers in a list of any task that is sent to the peer, at most; 4 by default.
    ///
    /// DRDMA-PROP-3, DRDMA-PROP-18: for all task types that send.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, INVALID_VALUE above what the device can do
    public Rdma maxSendBufListLen(int length) {
        requireIdle("configured");
        settings.maxSendBufListLen = settings.listLength("longest send list", length);
        return self();
    }

    /// Buffers in a list of any task that is sent to the peer, at most.
    public int maxSendBufListLen() {
        return settings.maxSendBufListLen;
    }

    /// Buffers in the list of a receive at most; 4 by default.
    ///
    /// DRDMA-PROP-4, DRDMA-PROP-18: for receives.
    ///
    /// @throws DocaException as [#maxSendBufListLen]
    public Rdma receiveDstBufListLen(int length) {
        requireIdle("configured");
        settings.receiveListLen = settings.listLength("longest receive list", length);
        return self();
    }

    /// Buffers in the list of a receive at most.
    public int receiveDstBufListLen() {
        return settings.receiveListLen;
    }

    /// What peers may do over this context, if the memory permits it too; nothing by default. The
    /// LOCAL flags are ignored.
    ///
    /// DRDMA-PROP-7, DRDMA-PERM-1, DFLT-5: beside those of the memory.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, INVALID_VALUE for PCI flags
    public Rdma permissions(AccessFlag... flags) {
        requireIdle("configured");
        settings.setPermissions(Set.of(DocaException.nonNull(flags, "flags")));
        return self();
    }

    /// What peers may do over this context: RDMA flags only.
    public Set<AccessFlag> permissions() {
        return Set.copyOf(settings.permissions);
    }

    /// Payload of one packet: 256 to 4096 bytes, the device's by default. A connection uses the
    /// smaller one of both sides.
    ///
    /// DRDMA-PROP-6: the path's as InfiniBand knows it.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, INVALID_VALUE for any other number,
    ///   NOT_SUPPORTED above what the port carries
    public Rdma mtu(int bytes) {
        requireIdle("configured");
        settings.setMtu(bytes);
        return self();
    }

    /// Payload of one packet at most, in bytes.
    public int mtu() {
        return settings.mtu;
    }

    /// How often a message is repeated when the peer has no receive: 0 to 7, 7 for ever; 6 by
    /// default.
    ///
    /// DRDMA-PROP-12: 7 is for ever.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, INVALID_VALUE out of range
    public Rdma rnrRetryCount(int count) {
        requireIdle("configured");
        settings.rnrRetryCount = RdmaSettings.range("RNR retry count", count, 0, 7);
        return self();
    }

    /// How often a message is repeated when the peer has no receive; 7 is for ever.
    public int rnrRetryCount() {
        return settings.rnrRetryCount;
    }

    /// InfiniBand's code for how long a peer waits at least when its message finds no receive here,
    /// 0 to 31; 12 (0.64 ms) by default. Asked again for the same message it waits about four times
    /// as long each time, so that with the default of [#rnrRetryCount] at the peer a receive may be
    /// 0.8 seconds late.
    ///
    /// @throws DocaException as [#rnrRetryCount]
    public Rdma minRnrTimer(int code) {
        requireIdle("configured");
        settings.minRnrTimer = RdmaSettings.range("RNR timer code", code, 0, 31);
        return self();
    }

    /// InfiniBand's code for how long a peer waits at least when its message finds no receive here.
    public int minRnrTimer() {
        return settings.minRnrTimer;
    }

    /// How often what the peer does not acknowledge is repeated: 0 to 7; 7 by default.
    ///
    /// DRDMA-PROP-15: repetitions of what nobody acknowledges.
    ///
    /// @throws DocaException as [#rnrRetryCount]
    public Rdma retryCount(int count) {
        requireIdle("configured");
        settings.retryCount = RdmaSettings.range("retry count", count, 0, 7);
        return self();
    }

    /// How often what the peer does not acknowledge is repeated.
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

    /// InfiniBand's code for how long an acknowledgement may take.
    public int timeoutCode() {
        return settings.timeoutCode;
    }

    /// The transport; RC by default.
    ///
    /// DRDMA-PROP-5, DFLT-55: RC alone.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, NOT_SUPPORTED for DC
    public Rdma transportType(TransportType type) {
        DocaException.nonNull(type, "type");
        requireIdle("configured");
        if (type != TransportType.RC) {
            throw new DocaException(
                    DocaError.NOT_SUPPORTED, "transport type is " + type + "; supported: RC");
        }
        return self();
    }

    /// The transport: RC.
    public TransportType transportType() {
        return TransportType.RC;
    }

    /// Whether packets carry a global route header; true by default.
    ///
    /// DRDMA-PROP-8: always, with RoCE.
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

    /// Whether packets carry a global route header: always true.
    public boolean grhEnabled() {
        return true;
    }

    /// Which GID of the device it uses; 0 by default.
    ///
    /// DRDMA-PROP-9: a device has one address.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, INVALID_VALUE if the device has no such
    ///   GID
    public Rdma gidIndex(int index) {
        requireIdle("configured");
        RdmaSettings.range("GID index", index, 0, GID_TABLE_SIZE - 1);
        return self();
    }

    /// Which GID of the device it uses: always 0.
    public int gidIndex() {
        return 0;
    }

    /// InfiniBand's service level, 0 to 15; 0 by default. Packets on Ethernet do not carry it.
    ///
    /// DRDMA-PROP-10: the priority of its packets.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, INVALID_VALUE out of range
    public Rdma serviceLevel(int level) {
        requireIdle("configured");
        settings.serviceLevel = RdmaSettings.range("service level", level, 0, MAX_SERVICE_LEVEL);
        return self();
    }

    /// InfiniBand's service level.
    public int serviceLevel() {
        return settings.serviceLevel;
    }

    /// Connections at most; 1 by default.
    ///
    /// DRDMA-PROP-11: room for so many at a time.
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

    /// Connections at most.
    public int maxNumConnections() {
        return settings.maxConnections;
    }

    /// How long a connection by address may take to come about: for who asks from [Rdma#connectTo]
    /// on, finding the way included, and for who is asked from [RdmaConnection#accept] on; 2
    /// seconds by default. Then it fails with TIME_OUT.
    ///
    /// DRDMA-PROP-13: for the way to the peer and its answer.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, INVALID_VALUE below 1 millisecond
    public Rdma connectionRequestTimeout(Duration timeout) {
        DocaException.nonNull(timeout, "timeout");
        requireIdle("configured");
        if (timeout.compareTo(Duration.ofMillis(1)) < 0) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "connection request timeout is " + timeout + "; valid: at least 1 ms");
        }
        settings.connectionRequestTimeout = timeout;
        return self();
    }

    /// How long a connection by address may take to come about.
    public Duration connectionRequestTimeout() {
        return settings.connectionRequestTimeout;
    }

    /// How long a connection may be silent before the peer is asked whether it is there, by a write
    /// of nothing that its application does not notice; off by default, which is ZERO. A peer that
    /// does not answer, and so one that is gone, ends its connection as any failure does, once the
    /// retries are used up: with the defaults about 5 seconds later.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE, INVALID_VALUE if it is neither ZERO nor
    ///   between 10 milliseconds and a day
    public Rdma keepAlive(Duration interval) {
        requireIdle("configured");
        DocaException.nonNull(interval, "interval");
        boolean isOff = interval.isZero();
        if (!isOff
                && (interval.compareTo(MIN_KEEP_ALIVE) < 0
                        || interval.compareTo(MAX_KEEP_ALIVE) > 0)) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "keep-alive is %s; valid: 0, or %s to %s"
                            .formatted(interval, MIN_KEEP_ALIVE, MAX_KEEP_ALIVE));
        }
        settings.keepAlive = interval;
        return self();
    }

    /// How long a connection may be silent before the peer is asked whether it is there; ZERO if it
    /// never is.
    public Duration keepAlive() {
        return settings.keepAlive;
    }

    /// Sets who is told about connections by address, and about the end of any connection in mode
    /// OPEN.
    ///
    /// DRDMA-CM-6, DRDMA-EVT-2: while idle; a GATED context has none.
    ///
    /// @throws DocaException with BAD_STATE unless IDLE
    public Rdma onConnection(ConnectionHandler newHandler) {
        requireIdle("given a connection handler");
        handler = DocaException.nonNull(newHandler, "newHandler");
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
        settings.mode = DocaException.nonNull(mode, "mode");
        return self();
    }

    /// How connections begin: what was set, or what follows from the other properties.
    ///
    /// DRDMA-PROP-14, DRDMA-STATE-2: follows from connections and handler unless it is set.
    public ConnectionMode connectionMode() {
        if (settings.mode != null) {
            return settings.mode;
        }
        return settings.maxConnections == 1 && handler == null
                ? ConnectionMode.GATED
                : ConnectionMode.OPEN;
    }
}
