package dev.outboard.fabric.roce.cm;

import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.PathMtu;
import dev.outboard.fabric.roce.wire.cm.TimeoutCode;
import java.time.Duration;

/// What a [CmAgent] knows of the device it signals for.
///
/// @param caGuid identifies this stack instance to its peers: two live instances must never share
///   one, see [CaGuid]
/// @param localGid the one address of the device
/// @param pathMtu what the link carries: proposed to peers, and the most that is accepted
/// @param maximumReadAtomicDepth READs and atomics per queue pair that the device serves, and
///   issues, at a time, 0..255
/// @param packetLifetime code for half a round trip; 18 is what Linux assumes on RoCE. The ACK
///   timeouts proposed to peers follow from it
/// @param maximumAccepted accepted connections at a time, those in TIMEWAIT included; further REQs
///   are dropped
public record CmConfiguration(
        long caGuid,
        Gid localGid,
        PathMtu pathMtu,
        int maximumReadAtomicDepth,
        int packetLifetime,
        CmTimers timers,
        int maximumAccepted) {
    private static final int DEFAULT_READ_ATOMIC_DEPTH = 16;
    private static final int DEFAULT_PACKET_LIFETIME = 18;
    private static final Duration DEFAULT_CONNECT_LIMIT = Duration.ofSeconds(10);
    private static final int DEFAULT_MAXIMUM_ACCEPTED = 4096;
    private static final int MAX_DEPTH = 255;

    public CmConfiguration {
        range("READ/atomic depth", maximumReadAtomicDepth, MAX_DEPTH);
        range("packet lifetime code", packetLifetime, NegotiatedAttributes.MAX_ACK_TIMEOUT - 1);
        range("limit of accepted connections", maximumAccepted, Integer.MAX_VALUE);
    }

    /// The usual limits and timers.
    public static CmConfiguration of(long caGuid, Gid localGid, PathMtu pathMtu) {
        return new CmConfiguration(
                caGuid,
                localGid,
                pathMtu,
                DEFAULT_READ_ATOMIC_DEPTH,
                DEFAULT_PACKET_LIFETIME,
                CmTimers.within(DEFAULT_CONNECT_LIMIT),
                DEFAULT_MAXIMUM_ACCEPTED);
    }

    public CmConfiguration withMaximumReadAtomicDepth(int depth) {
        return new CmConfiguration(
                caGuid, localGid, pathMtu, depth, packetLifetime, timers, maximumAccepted);
    }

    public CmConfiguration withPacketLifetime(int code) {
        return new CmConfiguration(
                caGuid, localGid, pathMtu, maximumReadAtomicDepth, code, timers, maximumAccepted);
    }

    public CmConfiguration withTimers(CmTimers newTimers) {
        return new CmConfiguration(
                caGuid,
                localGid,
                pathMtu,
                maximumReadAtomicDepth,
                packetLifetime,
                newTimers,
                maximumAccepted);
    }

    public CmConfiguration withMaximumAccepted(int connections) {
        return new CmConfiguration(
                caGuid,
                localGid,
                pathMtu,
                maximumReadAtomicDepth,
                packetLifetime,
                timers,
                connections);
    }

    /// The ACK timeout that goes with the packet lifetime and our own acknowledgement delay.
    int ackTimeout() {
        return TimeoutCode.ackTimeout(NegotiatedAttributes.ACK_DELAY, packetLifetime);
    }

    private static void range(String what, int value, int max) {
        if (value < 0 || value > max) {
            throw new IllegalArgumentException(what + " is " + value + "; valid: 0 to " + max);
        }
    }
}
