package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.roce.wire.Path;

/// What a queue pair needs to know to become ready to send: the attributes of INIT → RTR → RTS
/// (roce.md 3.10).
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
        int maxWindowPackets) {

    private static final long ACK_TIMEOUT_UNIT_NANOS = 4_096;

    /// The transport timeout, or 0 for never.
    long ackTimeoutNanos() {
        return ackTimeoutCode == 0 ? 0 : ACK_TIMEOUT_UNIT_NANOS << ackTimeoutCode;
    }
}
