package dev.outboard.doca.rdma;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.DeviceLimits;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The properties of an [Rdma] context, with their defaults, checked when they are set, and what
/// follows from them for the queue pairs of its connections.
final class RdmaSettings {
    static final int DEFAULT_LIST_LENGTH = 4;

    /// InfiniBand's code of 0.54 s.
    private static final int DEFAULT_TIMEOUT_CODE = 17;

    /// RDMA READs and atomics under way at a time; more wait.
    private static final int READ_DEPTH = 16;

    /// InfiniBand's code of 0.64 ms.
    private static final int DEFAULT_RNR_TIMER_CODE = 12;

    private static final Set<AccessFlag> REMOTE =
            EnumSet.of(AccessFlag.RDMA_READ, AccessFlag.RDMA_WRITE, AccessFlag.RDMA_ATOMIC);

    private final DeviceLimits limits;

    int sendQueueSize;
    int recvQueueSize;
    int maxSendBufListLen = DEFAULT_LIST_LENGTH;
    int receiveListLen = DEFAULT_LIST_LENGTH;
    Set<AccessFlag> permissions = EnumSet.noneOf(AccessFlag.class);
    int mtu;
    int serviceLevel;
    int maxConnections = 1;
    int rnrRetryCount = 6;
    int minRnrTimer = DEFAULT_RNR_TIMER_CODE;
    int retryCount = 7;
    int timeoutCode = DEFAULT_TIMEOUT_CODE;
    Duration keepAlive = Duration.ZERO;
    Duration connectionRequestTimeout = Duration.ofSeconds(2);
    @Nullable ConnectionMode mode;

    RdmaSettings(DeviceLimits limits) {
        this.limits = limits;
        this.mtu = limits.pathMtuBytes();
    }

    DeviceLimits limits() {
        return limits;
    }

    int queueSize(String name, int size) {
        atLeastOne(name, size);
        if (size > limits.maxWorkRequests()) {
            throw new DocaException(
                    DocaError.NOT_SUPPORTED,
                    "%s is %d; the device supports at most %d"
                            .formatted(name, size, limits.maxWorkRequests()));
        }
        return roundUp(size);
    }

    int listLength(String name, int length) {
        return range(name, length, 1, limits.maxScatterGather());
    }

    void setMtu(int bytes) {
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

    void setPermissions(Set<AccessFlag> flags) {
        EnumSet<AccessFlag> remote = EnumSet.noneOf(AccessFlag.class);
        for (AccessFlag flag : flags) {
            if (flag.name().startsWith("PCI")) {
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

    static int range(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw invalid(name, value, min + " to " + max);
        }
        return value;
    }

    static int atLeastOne(String name, int value) {
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
