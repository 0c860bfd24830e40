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
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The side that offers datagram services: hands every SIDR_REQ to the application of its listener
/// and sends what that answers (roce.md 5.4).
///
/// Linux forgets a request once it is answered, so a request repeated because the answer got lost
/// becomes a second one. Here an answer is kept for a while and given again.
final class SidrResponder {
    /// An answer that got lost is missed after one wait of the peer; Linux waits 4.1 s.
    static final Duration ANSWER_KEPT = Duration.ofSeconds(10);

    /// What identifies a request, however often it is repeated.
    private record Key(Gid source, int requestId, long transactionId) {}

    private final Signalling signalling;
    private final ResolutionTimers timers;
    private final Map<Integer, Listener> listeners = new HashMap<>();
    private final Map<Key, Resolution> known = new HashMap<>();

    SidrResponder(Signalling signalling, ResolutionTimers timers) {
        this.signalling = signalling;
        this.timers = timers;
    }

    void add(Listener listener) {
        listeners.put(listener.port(), listener);
    }

    /// Whether it was there.
    boolean remove(Listener listener) {
        return listeners.remove(listener.port(), listener);
    }

    /// A SIDR_REQ from `source`.
    ///
    /// ROCE-CM-17: a request is answered with queue pair and queue key, or with a status that
    /// refuses.
    void onRequest(Gid source, long transactionId, SidrRequest request, long nowNanos) {
        if (request.requestId() == 0) {
            signalling.discard(CmDiscard.MALFORMED);
            return;
        }
        Resolution repeated = known.get(new Key(source, request.requestId(), transactionId));
        if (repeated != null) {
            onDuplicate(repeated, nowNanos);
            return;
        }
        ServiceId service = request.serviceId();
        Listener listener =
                service.isIn(ServiceId.PORT_SPACE_UDP) ? listeners.get(service.port()) : null;
        if (listener == null) {
            refuse(source, transactionId, request, SidrStatus.UNSUPPORTED);
        } else if (!IpAddressHeader.isPresent(request.privateData())) {
            refuse(source, transactionId, request, SidrStatus.REJECTED);
        } else {
            onNewRequest(source, transactionId, listener, request);
        }
    }

    private void onDuplicate(Resolution resolution, long nowNanos) {
        signalling.discard(CmDiscard.DUPLICATE);
        if (resolution.state() == Resolution.State.ANSWERED) {
            signalling.counters.countResent();
            signalling.host.send(resolution.remoteGid(), resolution.datagram.clone());
            timers.start(resolution, nowNanos + ANSWER_KEPT.toNanos());
        }
    }

    private void onNewRequest(
            Gid source, long transactionId, Listener listener, SidrRequest request) {
        IpAddressHeader header = IpAddressHeader.parse(request.privateData());
        if (!source.equals(header.source())) {
            // The application would talk to somebody else than the one who asked.
            signalling.discard(CmDiscard.WRONG_SOURCE);
        } else if (!signalling.configuration.localGid().equals(header.destination())) {
            refuse(source, transactionId, request, SidrStatus.REJECTED);
        } else if (listener.isFull()) {
            signalling.discard(CmDiscard.BACKLOG_FULL);
        } else {
            Resolution resolution =
                    Resolution.passive(
                            request, transactionId, source, header.sourcePort(), listener);
            known.put(key(resolution), resolution);
            signalling.raise(
                    ResolutionEvent.requested(
                            resolution, request.privateData().from(IpAddressHeader.LENGTH)));
        }
    }

    void answer(
            Resolution resolution,
            SidrStatus status,
            int qpn,
            int queueKey,
            Octets privateData,
            long nowNanos) {
        SidrReply reply =
                reply(
                        resolution.requestId(),
                        resolution.serviceId,
                        status,
                        qpn,
                        queueKey,
                        privateData);
        resolution.datagram = new CmDatagram(resolution.transactionId, reply).emit();
        resolution.enter(Resolution.State.ANSWERED);
        signalling.counters.countSent(CmAttribute.SIDR_REP);
        signalling.host.send(resolution.remoteGid(), resolution.datagram.clone());
        if (known.size() > signalling.configuration.maximumAccepted()) {
            end(resolution);
        } else {
            timers.start(resolution, nowNanos + ANSWER_KEPT.toNanos());
        }
    }

    /// Forgets a request.
    void end(Resolution resolution) {
        timers.cancel(resolution);
        known.remove(key(resolution), resolution);
        resolution.enter(Resolution.State.OVER);
    }

    List<Resolution> snapshot() {
        return List.copyOf(known.values());
    }

    private void refuse(Gid source, long transactionId, SidrRequest request, SidrStatus status) {
        SidrReply reply =
                reply(request.requestId(), request.serviceId(), status, 0, 0, Octets.EMPTY);
        signalling.send(source, transactionId, reply);
    }

    private static SidrReply reply(
            int requestId,
            ServiceId serviceId,
            SidrStatus status,
            int qpn,
            int queueKey,
            Octets privateData) {
        return SidrReply.builder()
                .requestId(requestId)
                .status(status.code())
                .qpn(qpn)
                .serviceId(serviceId)
                .queueKey(queueKey)
                .privateData(privateData.padded(SidrReply.PRIVATE_DATA_LENGTH))
                .build();
    }

    private static Key key(Resolution resolution) {
        return new Key(resolution.remoteGid(), resolution.requestId(), resolution.transactionId);
    }
}
