package dev.outboard.fabric;

import java.util.Arrays;
import java.util.Objects;

/// What one side proposes or grants for a connection (librdmacm's `rdma_conn_param`). In an event:
/// what the peer proposed.
///
/// @param responderResources RDMA READs and atomics the sender of this can serve at a time, 0..255
/// @param initiatorDepth RDMA READs and atomics the sender of this will have outstanding, 0..255
/// @param retryCount transport retries, 0..7
/// @param rnrRetryCount receiver-not-ready retries, 0..7; 7 means for ever
/// @param privateData bytes for the peer: at most 56 in connect, 196 in accept; in the UDP port
///   space 180 and 136
public record ConnectionParameters(
        int responderResources,
        int initiatorDepth,
        int retryCount,
        int rnrRetryCount,
        byte[] privateData) {
    public ConnectionParameters {
        range("responder resources", responderResources, 255);
        range("initiator depth", initiatorDepth, 255);
        range("retry count", retryCount, 7);
        range("RNR retry count", rnrRetryCount, 7);
        privateData = privateData.clone();
    }

    /// No READs, seven transport retries, six RNR retries, no private data.
    public static ConnectionParameters defaults() {
        return new ConnectionParameters(0, 0, 7, 6, new byte[0]);
    }

    @Override
    public byte[] privateData() {
        return privateData.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ConnectionParameters that
                && responderResources == that.responderResources
                && initiatorDepth == that.initiatorDepth
                && retryCount == that.retryCount
                && rnrRetryCount == that.rnrRetryCount
                && Arrays.equals(privateData, that.privateData);
    }

    @Override
    public int hashCode() {
        return Objects.hash(
                responderResources,
                initiatorDepth,
                retryCount,
                rnrRetryCount,
                Arrays.hashCode(privateData));
    }

    @Override
    public String toString() {
        return "responder resources %d, initiator depth %d, retries %d, RNR retries %d, %d bytes of private data"
                .formatted(
                        responderResources,
                        initiatorDepth,
                        retryCount,
                        rnrRetryCount,
                        privateData.length);
    }

    private static void range(String what, int value, int max) {
        if (value < 0 || value > max) {
            throw new FabricException(
                    FabricException.Reason.INVALID_ARGUMENT,
                    what + " is " + value + "; valid: 0 to " + max);
        }
    }
}
