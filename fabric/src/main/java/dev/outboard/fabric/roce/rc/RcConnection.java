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
        return builder(path).build();
    }

    /// Along `path`, with a window of [#MAX_WINDOW_PACKETS]; every other number is 0 until it is
    /// set.
    public static Builder builder(Path path) {
        return new Builder(path);
    }

    /// The same with what `change` gives, apart from the path.
    RcConnection with(QueuePairChange change) {
        return toBuilder()
                .destinationQpn(given(change, Attribute.DESTINATION_NUMBER, destinationQpn))
                .pathMtuBytes(given(change, Attribute.PATH_MTU, pathMtuBytes))
                .sendPsn(given(change, Attribute.SEND_PSN, sendPsn))
                .receivePsn(given(change, Attribute.RECEIVE_PSN, receivePsn))
                .maxReadAtomic(given(change, Attribute.MAX_READ_ATOMIC, maxReadAtomic))
                .maxDestinationReadAtomic(
                        given(
                                change,
                                Attribute.MAX_DESTINATION_READ_ATOMIC,
                                maxDestinationReadAtomic))
                .build()
                .preferring(change);
    }

    /// The same with what one side decides for itself in `own`.
    public RcConnection preferring(QueuePairChange own) {
        return toBuilder()
                .minRnrTimerCode(given(own, Attribute.MIN_RNR_TIMER, minRnrTimerCode))
                .ackTimeoutCode(given(own, Attribute.TIMEOUT, ackTimeoutCode))
                .retryCount(given(own, Attribute.RETRY_COUNT, retryCount))
                .rnrRetryCount(given(own, Attribute.RNR_RETRY_COUNT, rnrRetryCount))
                .build();
    }

    /// The same on another path.
    RcConnection with(Path newPath) {
        return fill(builder(newPath)).build();
    }

    private Builder toBuilder() {
        return fill(builder(path));
    }

    /// Everything but the path.
    private Builder fill(Builder builder) {
        return builder.destinationQpn(destinationQpn)
                .pathMtuBytes(pathMtuBytes)
                .sendPsn(sendPsn)
                .receivePsn(receivePsn)
                .minRnrTimerCode(minRnrTimerCode)
                .ackTimeoutCode(ackTimeoutCode)
                .retryCount(retryCount)
                .rnrRetryCount(rnrRetryCount)
                .maxWindowPackets(maxWindowPackets)
                .maxReadAtomic(maxReadAtomic)
                .maxDestinationReadAtomic(maxDestinationReadAtomic);
    }

    /// The transport timeout, or 0 for never.
    long ackTimeoutNanos() {
        return ackTimeoutCode == 0 ? 0 : ACK_TIMEOUT_UNIT_NANOS << ackTimeoutCode;
    }

    private static int given(QueuePairChange change, Attribute attribute, int otherwise) {
        return change.given().contains(attribute) ? change.value(attribute) : otherwise;
    }

    /// Collects the attributes; every call returns this builder.
    public static final class Builder {
        private final Path path;
        private int destinationQpn;
        private int pathMtuBytes;
        private int sendPsn;
        private int receivePsn;
        private int minRnrTimerCode;
        private int ackTimeoutCode;
        private int retryCount;
        private int rnrRetryCount;
        private int maxWindowPackets = MAX_WINDOW_PACKETS;
        private int maxReadAtomic;
        private int maxDestinationReadAtomic;

        private Builder(Path path) {
            this.path = path;
        }

        public Builder destinationQpn(int destinationQpn) {
            this.destinationQpn = destinationQpn;
            return this;
        }

        public Builder pathMtuBytes(int pathMtuBytes) {
            this.pathMtuBytes = pathMtuBytes;
            return this;
        }

        public Builder sendPsn(int sendPsn) {
            this.sendPsn = sendPsn;
            return this;
        }

        public Builder receivePsn(int receivePsn) {
            this.receivePsn = receivePsn;
            return this;
        }

        public Builder minRnrTimerCode(int minRnrTimerCode) {
            this.minRnrTimerCode = minRnrTimerCode;
            return this;
        }

        public Builder ackTimeoutCode(int ackTimeoutCode) {
            this.ackTimeoutCode = ackTimeoutCode;
            return this;
        }

        public Builder retryCount(int retryCount) {
            this.retryCount = retryCount;
            return this;
        }

        public Builder rnrRetryCount(int rnrRetryCount) {
            this.rnrRetryCount = rnrRetryCount;
            return this;
        }

        public Builder maxWindowPackets(int maxWindowPackets) {
            this.maxWindowPackets = maxWindowPackets;
            return this;
        }

        public Builder maxReadAtomic(int maxReadAtomic) {
            this.maxReadAtomic = maxReadAtomic;
            return this;
        }

        public Builder maxDestinationReadAtomic(int maxDestinationReadAtomic) {
            this.maxDestinationReadAtomic = maxDestinationReadAtomic;
            return this;
        }

        public RcConnection build() {
            return new RcConnection(
                    path,
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
    }
}
