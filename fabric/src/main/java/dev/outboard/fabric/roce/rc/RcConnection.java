package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairChange.Attribute;
import dev.outboard.fabric.roce.wire.Path;

/// What a queue pair knows about its connection: the attributes of INIT → RTR → RTS (roce.md 3.10).
///
/// @param path the way to the peer
/// @param destinationQpn the peer's queue pair number
/// @param pathMtuBytes payload of a full packet
/// @param sendPsn the first sequence number we send
/// @param receivePsn the first sequence number we expect
/// @param minRnrTimerCode how long a peer waits at least when no receive is posted (roce.md 3.5)
/// @param ackTimeoutCode a transport timeout is 4.096 µs · 2^code; 0 means never
/// @param retryCount transport retries, 0..7
/// @param rnrRetryCount receiver-not-ready retries; 7 means for ever
/// @param maxWindowPackets packets unacknowledged at most
/// @param maxReadAtomic READs and atomics we may have outstanding
/// @param maxDestinationReadAtomic READs and atomics the peer may have outstanding
public record RcConnection(
        Path path,
        int destinationQpn,
        int pathMtuBytes,
        int sendPsn,
        int receivePsn,
        int minRnrTimerCode,
        int ackTimeoutCode,
        int retryCount,
        int rnrRetryCount,
        int maxWindowPackets,
        int maxReadAtomic,
        int maxDestinationReadAtomic) {

    private static final long ACK_TIMEOUT_UNIT_NANOS = 4_096;

    /// What roce.md 6 allows a queue pair to have in flight.
    public static final int MAX_WINDOW_PACKETS = 128;

    /// Nothing but a way to the peer.
    static RcConnection along(Path path) {
        return new RcConnection(path, 0, 0, 0, 0, 0, 0, 0, 0, MAX_WINDOW_PACKETS, 0, 0);
    }

    /// The same with what `change` gives, apart from the path.
    RcConnection with(QueuePairChange change) {
        return new RcConnection(
                path,
                given(change, Attribute.DESTINATION_NUMBER, destinationQpn),
                given(change, Attribute.PATH_MTU, pathMtuBytes),
                given(change, Attribute.SEND_PSN, sendPsn),
                given(change, Attribute.RECEIVE_PSN, receivePsn),
                given(change, Attribute.MIN_RNR_TIMER, minRnrTimerCode),
                given(change, Attribute.TIMEOUT, ackTimeoutCode),
                given(change, Attribute.RETRY_COUNT, retryCount),
                given(change, Attribute.RNR_RETRY_COUNT, rnrRetryCount),
                maxWindowPackets,
                given(change, Attribute.MAX_READ_ATOMIC, maxReadAtomic),
                given(change, Attribute.MAX_DESTINATION_READ_ATOMIC, maxDestinationReadAtomic));
    }

    /// The same with what one side decides for itself in `own`.
    public RcConnection preferring(QueuePairChange own) {
        return new RcConnection(
                path,
                destinationQpn,
                pathMtuBytes,
                sendPsn,
                receivePsn,
                given(own, Attribute.MIN_RNR_TIMER, minRnrTimerCode),
                given(own, Attribute.TIMEOUT, ackTimeoutCode),
                given(own, Attribute.RETRY_COUNT, retryCount),
                given(own, Attribute.RNR_RETRY_COUNT, rnrRetryCount),
                maxWindowPackets,
                maxReadAtomic,
                maxDestinationReadAtomic);
    }

    /// The same on another path.
    RcConnection with(Path newPath) {
        return new RcConnection(
                newPath,
                destinationQpn,
                pathMtuBytes,
                sendPsn,
                receivePsn,
                minRnrTimerCode,
                ackTimeoutCode,
                retryCount,
                rnrRetryCount,
                maxWindowPackets,
                maxReadAtomic,
                maxDestinationReadAtomic);
    }

    /// The transport timeout, or 0 for never.
    long ackTimeoutNanos() {
        return ackTimeoutCode == 0 ? 0 : ACK_TIMEOUT_UNIT_NANOS << ackTimeoutCode;
    }

    private static int given(QueuePairChange change, Attribute attribute, int otherwise) {
        return change.given().contains(attribute) ? change.value(attribute) : otherwise;
    }
}
