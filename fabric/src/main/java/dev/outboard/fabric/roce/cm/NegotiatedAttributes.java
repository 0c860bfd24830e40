package dev.outboard.fabric.roce.cm;

import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.PathMtu;
import dev.outboard.fabric.roce.wire.cm.ConnectionReply;
import dev.outboard.fabric.roce.wire.cm.ConnectionRequest;
import dev.outboard.fabric.roce.wire.cm.FlowControl;
import dev.outboard.fabric.roce.wire.cm.LocalEnd;
import dev.outboard.fabric.roce.wire.cm.TimeoutCode;

/// What both sides agreed on for a queue pair: all it needs to go from INIT through RTR to RTS.
///
/// A "starting PSN" on the wire is the PSN that its *sender* receives first. So a side sends from
/// the peer's starting PSN on and receives from its own on.
///
/// ROCE-CM-12: what both ends agree on.
///
/// ROCE-CM-3: the starting PSN that a side sends is the one that it receives first.
///
/// @param localQpn the local queue pair number
/// @param pathMtu the REQ's value rules for both sides
/// @param retryCount transport retries; the REQ's value rules for both sides
/// @param rnrRetryCount receiver-not-ready retries; each side uses what the other one sent
/// @param ackTimeoutCode code 1..[#MAX_ACK_TIMEOUT]: 4.096 µs·2^code
/// @param maxReadAtomic READs and atomics this side may have outstanding; 0 means it must issue
///   none
/// @param maxDestinationReadAtomic READs and atomics this side serves; 0 means it must refuse them
/// @param remoteBufferBytes the receive buffer that the peer declares, or 0; see [CaGuid]
/// @param requestsAhead whether both sides take requests ahead of acknowledgements, see [CaGuid]
public record NegotiatedAttributes(
        int localQpn,
        Gid remoteGid,
        int remoteQpn,
        int sendPsn,
        int receivePsn,
        PathMtu pathMtu,
        int retryCount,
        int rnrRetryCount,
        int ackTimeoutCode,
        int maxReadAtomic,
        int maxDestinationReadAtomic,
        int remoteBufferBytes,
        boolean requestsAhead) {
    /// The longest ACK timeout a peer can make us wait: 8.6 s. A peer could ask for 2.4 hours, or
    /// with 0 for ever; this bounds TIMEWAIT too.
    public static final int MAX_ACK_TIMEOUT = 21;

    /// What we say our acknowledgements may take; the value of Linux.
    static final int ACK_DELAY = 15;

    /// Remote READs need at least one responder resource (the rule of Linux). Remote WRITE is
    /// always allowed.
    public boolean remoteReadAllowed() {
        return maxDestinationReadAtomic > 0;
    }

    /// Remote atomics need at least one responder resource (the rule of Linux).
    public boolean remoteAtomicAllowed() {
        return maxDestinationReadAtomic > 0;
    }

    /// The active side, from its own REQ and the REP.
    static NegotiatedAttributes ofActive(
            Gid remoteGid, ConnectionRequest request, ConnectionReply reply, int packetLifetime) {
        LocalEnd own = request.local();
        LocalEnd peer = reply.local();
        FlowControl asked = request.flow();
        FlowControl granted = reply.flow();
        return new Builder(remoteGid, agreedMtu(request))
                .localQpn(own.qpn())
                .remoteQpn(peer.qpn())
                .sendPsn(peer.startingPsn())
                .receivePsn(own.startingPsn())
                .retryCount(request.paths().retryCount())
                .rnrRetryCount(granted.rnrRetryCount())
                .ackTimeoutCode(
                        limited(TimeoutCode.ackTimeout(reply.targetAckDelay(), packetLifetime)))
                .maxReadAtomic(Math.min(granted.responderResources(), asked.initiatorDepth()))
                .maxDestinationReadAtomic(
                        Math.min(granted.initiatorDepth(), asked.responderResources()))
                .remoteBufferBytes(CaGuid.receiveBufferBytes(peer.caGuid()))
                .requestsAhead(requestsAhead(own, peer))
                .build();
    }

    /// The passive side, from the REQ and its own REP.
    static NegotiatedAttributes ofPassive(
            Gid remoteGid, ConnectionRequest request, ConnectionReply reply) {
        LocalEnd own = reply.local();
        LocalEnd peer = request.local();
        return new Builder(remoteGid, agreedMtu(request))
                .localQpn(own.qpn())
                .remoteQpn(peer.qpn())
                .sendPsn(peer.startingPsn())
                .receivePsn(own.startingPsn())
                .retryCount(request.paths().retryCount())
                .rnrRetryCount(request.flow().rnrRetryCount())
                .ackTimeoutCode(limited(request.paths().primary().localAckTimeout()))
                .maxReadAtomic(reply.flow().initiatorDepth())
                .maxDestinationReadAtomic(reply.flow().responderResources())
                .remoteBufferBytes(CaGuid.receiveBufferBytes(peer.caGuid()))
                .requestsAhead(requestsAhead(own, peer))
                .build();
    }

    /// NAA-MRSP-4, NAA-XFER-18: peers of other makes get the acknowledgement first.
    private static boolean requestsAhead(LocalEnd own, LocalEnd peer) {
        return CaGuid.takesRequestsAhead(own.caGuid()) && CaGuid.takesRequestsAhead(peer.caGuid());
    }

    /// Every REQ that gets this far has a valid MTU: the passive side has looked at it.
    private static PathMtu agreedMtu(ConnectionRequest request) {
        return PathMtu.of(request.paths().mtu()).orElseThrow();
    }

    private static int limited(int ackTimeout) {
        return ackTimeout == 0 ? MAX_ACK_TIMEOUT : Math.min(ackTimeout, MAX_ACK_TIMEOUT);
    }

    /// Collects what was agreed; every call returns this builder.
    private static final class Builder {
        private final Gid remoteGid;
        private final PathMtu pathMtu;
        private int localQpn;
        private int remoteQpn;
        private int sendPsn;
        private int receivePsn;
        private int retryCount;
        private int rnrRetryCount;
        private int ackTimeoutCode;
        private int maxReadAtomic;
        private int maxDestinationReadAtomic;
        private int remoteBufferBytes;
        private boolean requestsAhead;

        private Builder(Gid remoteGid, PathMtu pathMtu) {
            this.remoteGid = remoteGid;
            this.pathMtu = pathMtu;
        }

        Builder localQpn(int localQpn) {
            this.localQpn = localQpn;
            return this;
        }

        Builder remoteQpn(int remoteQpn) {
            this.remoteQpn = remoteQpn;
            return this;
        }

        Builder sendPsn(int sendPsn) {
            this.sendPsn = sendPsn;
            return this;
        }

        Builder receivePsn(int receivePsn) {
            this.receivePsn = receivePsn;
            return this;
        }

        Builder retryCount(int retryCount) {
            this.retryCount = retryCount;
            return this;
        }

        Builder rnrRetryCount(int rnrRetryCount) {
            this.rnrRetryCount = rnrRetryCount;
            return this;
        }

        Builder ackTimeoutCode(int ackTimeoutCode) {
            this.ackTimeoutCode = ackTimeoutCode;
            return this;
        }

        Builder maxReadAtomic(int maxReadAtomic) {
            this.maxReadAtomic = maxReadAtomic;
            return this;
        }

        Builder maxDestinationReadAtomic(int maxDestinationReadAtomic) {
            this.maxDestinationReadAtomic = maxDestinationReadAtomic;
            return this;
        }

        Builder remoteBufferBytes(int remoteBufferBytes) {
            this.remoteBufferBytes = remoteBufferBytes;
            return this;
        }

        Builder requestsAhead(boolean requestsAhead) {
            this.requestsAhead = requestsAhead;
            return this;
        }

        NegotiatedAttributes build() {
            return new NegotiatedAttributes(
                    localQpn,
                    remoteGid,
                    remoteQpn,
                    sendPsn,
                    receivePsn,
                    pathMtu,
                    retryCount,
                    rnrRetryCount,
                    ackTimeoutCode,
                    maxReadAtomic,
                    maxDestinationReadAtomic,
                    remoteBufferBytes,
                    requestsAhead);
        }
    }
}
