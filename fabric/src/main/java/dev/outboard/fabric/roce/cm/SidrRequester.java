package dev.outboard.fabric.roce.cm;

import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.cm.CmAttribute;
import dev.outboard.fabric.roce.wire.cm.CmDatagram;
import dev.outboard.fabric.roce.wire.cm.IpAddressHeader;
import dev.outboard.fabric.roce.wire.cm.Octets;
import dev.outboard.fabric.roce.wire.cm.ServiceId;
import dev.outboard.fabric.roce.wire.cm.SidrReply;
import dev.outboard.fabric.roce.wire.cm.SidrRequest;
import dev.outboard.fabric.roce.wire.cm.SidrStatus;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/// The side that asks for the queue pair of a datagram service: repeats the SIDR_REQ until a
/// SIDR_REP answers it (roce.md 5.4).
final class SidrRequester {
    private static final int DEFAULT_PARTITION_KEY = 0xFFFF;
    private static final int CONSUMER_DATA_LENGTH =
            SidrRequest.PRIVATE_DATA_LENGTH - IpAddressHeader.LENGTH;

    private final Signalling signalling;
    private final Ports ports;
    private final ResolutionTimers timers;
    private final Map<Integer, Resolution> asking = new HashMap<>();
    private int nextRequestId;

    /// The upper half of every transaction ID.
    private final long transactionSpace;

    SidrRequester(
            Signalling signalling, Ports ports, ResolutionTimers timers, RandomGenerator random) {
        this.signalling = signalling;
        this.ports = ports;
        this.timers = timers;
        this.nextRequestId = random.nextInt();
        this.transactionSpace = random.nextLong() & ~0xFFFF_FFFFL;
    }

    Resolution ask(Gid remoteGid, int remotePort, byte[] privateData, long nowNanos) {
        Octets consumerData = Octets.of(privateData).padded(CONSUMER_DATA_LENGTH);
        int localPort = ports.takeEphemeral();
        Gid localGid = signalling.configuration.localGid();
        SidrRequest request =
                new SidrRequest(
                        allocateRequestId(),
                        DEFAULT_PARTITION_KEY,
                        ServiceId.of(ServiceId.PORT_SPACE_UDP, remotePort),
                        new IpAddressHeader(localPort, localGid, remoteGid)
                                .followedBy(consumerData, SidrRequest.PRIVATE_DATA_LENGTH));
        long transactionId = transactionSpace | Integer.toUnsignedLong(request.requestId());
        Resolution resolution = Resolution.active(request, transactionId, remoteGid, localPort);
        asking.put(request.requestId(), resolution);
        resolution.datagram = new CmDatagram(transactionId, request).emit();
        signalling.counters.countSent(CmAttribute.SIDR_REQ);
        send(resolution, nowNanos);
        return resolution;
    }

    /// A SIDR_REP. It is found by the request ID, like every answer by the ID of the one who asked.
    void onReply(Gid source, SidrReply reply) {
        Resolution resolution = asking.get(reply.requestId());
        if (resolution == null) {
            signalling.discard(CmDiscard.UNKNOWN_ID);
        } else if (!source.equals(resolution.remoteGid())) {
            signalling.discard(CmDiscard.WRONG_SOURCE);
        } else if (!reply.serviceId().equals(resolution.serviceId)) {
            signalling.discard(CmDiscard.MALFORMED);
        } else if (reply.status() != SidrStatus.VALID.code()) {
            end(resolution);
            signalling.raise(
                    ResolutionEvent.failed(
                            resolution,
                            reply.status(),
                            SidrStatus.explain(reply.status()),
                            reply.privateData()));
        } else if (!CmAgent.isQpn(reply.qpn())) {
            signalling.discard(CmDiscard.MALFORMED);
        } else {
            end(resolution);
            signalling.raise(ResolutionEvent.resolved(resolution, reply));
        }
    }

    void onTimer(Resolution resolution, long nowNanos) {
        boolean isLate = nowNanos >= resolution.limitNanos;
        if (!isLate && resolution.sent <= policy().resends()) {
            signalling.counters.countResent();
            send(resolution, nowNanos);
            return;
        }
        end(resolution);
        signalling.raise(
                ResolutionEvent.failed(
                        resolution,
                        CmEvent.ETIMEDOUT,
                        "no answer from %s port %d to %d requests%s"
                                .formatted(
                                        resolution.remoteGid(),
                                        resolution.remotePort(),
                                        resolution.sent,
                                        isLate ? " within the limit of this attempt" : ""),
                        Octets.EMPTY));
    }

    /// Gives up then at the latest.
    void limit(Resolution resolution, long limitNanos) {
        if (resolution.state() == Resolution.State.ASKING) {
            resolution.limitNanos = limitNanos;
            timers.start(resolution, resolution.deadlineNanos);
        }
    }

    /// Stops asking. Nothing tells the peer: it keeps no state that matters.
    void end(Resolution resolution) {
        timers.cancel(resolution);
        if (asking.remove(resolution.requestId(), resolution)) {
            ports.release(resolution.localPort());
        }
        resolution.enter(Resolution.State.OVER);
    }

    List<Resolution> snapshot() {
        return List.copyOf(asking.values());
    }

    private void send(Resolution resolution, long nowNanos) {
        resolution.sent++;
        timers.start(resolution, nowNanos + policy().waitNanos(resolution.sent));
        signalling.host.send(resolution.remoteGid(), resolution.datagram.clone());
    }

    private ResendPolicy policy() {
        return signalling.configuration.timers().resolution();
    }

    private int allocateRequestId() {
        int id = nextRequestId;
        while (id == 0 || asking.containsKey(id)) {
            id++;
        }
        nextRequestId = id + 1;
        return id;
    }
}
