package dev.outboard.fabric.roce.cm;

import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.PathMtu;
import dev.outboard.fabric.roce.wire.Psn;
import dev.outboard.fabric.roce.wire.cm.ConnectionReply;
import dev.outboard.fabric.roce.wire.cm.ConnectionRequest;
import dev.outboard.fabric.roce.wire.cm.FlowControl;
import dev.outboard.fabric.roce.wire.cm.IpAddressHeader;
import dev.outboard.fabric.roce.wire.cm.LocalEnd;
import dev.outboard.fabric.roce.wire.cm.MessageReceiptAcknowledgement;
import dev.outboard.fabric.roce.wire.cm.Octets;
import dev.outboard.fabric.roce.wire.cm.RejectReason;
import dev.outboard.fabric.roce.wire.cm.Rejection;
import dev.outboard.fabric.roce.wire.cm.ServiceId;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// The side that is asked for a connection, until it is ESTABLISHED: the listeners, REQ_RCVD,
/// REP_SENT and MRA_REP_RCVD.
final class PassiveMachine {
    /// What an MRA asks for while the application is undecided: 65 s, as Linux does.
    static final int SERVICE_TIMEOUT = 24;

    private final Signalling signalling;
    private final Teardown teardown;
    private final RandomGenerator random;
    private final Map<Integer, Listener> listeners = new HashMap<>();

    PassiveMachine(Signalling signalling, Teardown teardown, RandomGenerator random) {
        this.signalling = signalling;
        this.teardown = teardown;
        this.random = random;
    }

    void add(Listener listener) {
        listeners.put(listener.port(), listener);
    }

    /// Whether it was there.
    boolean remove(Listener listener) {
        return listeners.remove(listener.port(), listener);
    }

    /// A REQ from `source`.
    void onRequest(Gid source, long transactionId, ConnectionRequest request, long nowNanos) {
        if (!source.equals(request.paths().primary().localGid())) {
            // Answers go to the source, packets would go to the path.
            signalling.discard(CmDiscard.WRONG_SOURCE);
            return;
        }
        Optional<Connection> known =
                signalling.table.findRemoteId(source, request.local().caGuid(), request.localId());
        if (known.isPresent()) {
            onDuplicate(known.get(), transactionId, request);
            return;
        }
        Optional<Connection> stale =
                signalling.table.findRemoteQpn(
                        source, request.local().caGuid(), request.local().qpn());
        if (stale.isPresent()) {
            reject(source, transactionId, request, RejectReason.STALE_CONNECTION, Octets.EMPTY);
            teardown.dropStale(stale.get(), nowNanos);
            return;
        }
        Listener listener = listener(request.service().id());
        if (listener == null) {
            reject(source, transactionId, request, RejectReason.INVALID_SERVICE_ID, Octets.EMPTY);
        } else if (isAcceptable(source, transactionId, request)) {
            onNewRequest(source, transactionId, listener, request);
        }
    }

    /// The active side asks again. An application that has answered already needs nothing: the REP
    /// has its own timer, and leaves at once if that was not allowed to send it.
    ///
    /// ROCE-CM-7: a request that comes again gets the answer of the first.
    ///
    /// ROCE-CM-11: while the application is undecided, we ask for more time.
    private void onDuplicate(Connection connection, long transactionId, ConnectionRequest request) {
        signalling.discard(CmDiscard.DUPLICATE);
        signalling.requestedAgain(connection);
        if (connection.state() == ConnectionState.REQ_RCVD) {
            signalling.send(
                    connection,
                    new MessageReceiptAcknowledgement(
                            connection.localId(),
                            connection.remoteId,
                            MessageReceiptAcknowledgement.OF_REQ,
                            SERVICE_TIMEOUT,
                            Octets.EMPTY));
        } else if (connection.state() == ConnectionState.TIMEWAIT) {
            reject(
                    connection.remoteGid(),
                    transactionId,
                    request,
                    RejectReason.STALE_CONNECTION,
                    Octets.EMPTY);
        }
    }

    private @Nullable Listener listener(ServiceId serviceId) {
        return serviceId.isIn(ServiceId.PORT_SPACE_TCP) ? listeners.get(serviceId.port()) : null;
    }

    /// Whether the request is one that we can serve; else it is rejected.
    ///
    /// ROCE-CM-10: each request that cannot be served is rejected with its reason.
    private boolean isAcceptable(Gid source, long transactionId, ConnectionRequest request) {
        CmConfiguration configuration = signalling.configuration;
        Gid localGid = configuration.localGid();
        RejectReason reason;
        Octets info = Octets.EMPTY;
        if (!localGid.equals(request.paths().primary().remoteGid())) {
            reason = RejectReason.INVALID_GID;
            info = Octets.ofGid(localGid);
        } else if (!IpAddressHeader.isPresent(request.privateData())) {
            reason = RejectReason.CONSUMER_REJECT;
        } else if (!localGid.equals(IpAddressHeader.parse(request.privateData()).destination())) {
            reason = RejectReason.INVALID_GID;
            info = Octets.ofGid(localGid);
        } else if (request.service().transportType() != ConnectionRequest.TRANSPORT_RC) {
            reason = RejectReason.CONSUMER_REJECT;
        } else if (!isCarried(request.paths().mtu())) {
            reason = RejectReason.INVALID_MTU;
            info = Octets.of((byte) configuration.pathMtu().code());
        } else {
            return true;
        }
        reject(source, transactionId, request, reason, info);
        return false;
    }

    private boolean isCarried(int mtuCode) {
        PathMtu largest = signalling.configuration.pathMtu();
        return PathMtu.of(mtuCode).filter(mtu -> mtu.compareTo(largest) <= 0).isPresent();
    }

    private void onNewRequest(
            Gid source, long transactionId, Listener listener, ConnectionRequest request) {
        if (listener.isFull()) {
            // Without an answer the peer asks again, as Linux has it.
            signalling.discard(CmDiscard.BACKLOG_FULL);
            return;
        }
        if (signalling.table.passiveCount() >= signalling.configuration.maximumAccepted()) {
            signalling.discard(CmDiscard.CONNECTION_LIMIT);
            return;
        }
        IpAddressHeader header = IpAddressHeader.parse(request.privateData());
        Connection connection =
                Connection.passive(
                        signalling.table.allocateLocalId(),
                        source,
                        header.sourcePort(),
                        listener,
                        request,
                        transactionId);
        signalling.table.add(connection);
        signalling.table.bind(
                connection, request.localId(), request.local().caGuid(), request.local().qpn());
        signalling.raise(
                connection,
                ConnectionEvent.Type.CONNECT_REQUEST,
                parameters(request, request.privateData().from(IpAddressHeader.LENGTH)));
    }

    /// The application accepts: the queue pair is ready before the REP leaves, because packets may
    /// arrive before the RTU.
    ///
    /// ROCE-CM-9: the queue pair can receive and send before the REP leaves.
    boolean accept(Connection connection, int qpn, ConnectionParameters parameters, long nowNanos) {
        ConnectionReply reply = reply(connection, qpn, parameters);
        NegotiatedAttributes attributes =
                NegotiatedAttributes.ofPassive(connection.remoteGid(), connection.request, reply);
        connection.localQpn = qpn;
        if (!signalling.host.connectQueuePair(connection, attributes)) {
            signalling.host.failQueuePair(connection);
            reject(connection, Octets.EMPTY);
            return false;
        }
        connection.attributes = attributes;
        connection.enter(ConnectionState.REP_SENT);
        signalling.sendUntilAnswered(
                connection,
                reply,
                signalling
                        .configuration
                        .timers()
                        .reply()
                        .limitedTo(connection.request.responses().maxCmRetries()),
                nowNanos);
        return true;
    }

    private ConnectionReply reply(Connection connection, int qpn, ConnectionParameters parameters) {
        FlowControl asked = connection.request.flow();
        int depth = signalling.configuration.maximumReadAtomicDepth();
        return ConnectionReply.builder()
                .localId(connection.localId())
                .remoteId(connection.remoteId)
                .local(
                        LocalEnd.builder()
                                .caGuid(signalling.configuration.caGuid())
                                .qpn(qpn)
                                .startingPsn(random.nextInt(Psn.MODULUS))
                                .build())
                .flow(
                        FlowControl.builder()
                                .responderResources(
                                        Math.min(
                                                Math.min(parameters.responderResources(), depth),
                                                asked.initiatorDepth()))
                                .initiatorDepth(
                                        Math.min(
                                                Math.min(parameters.initiatorDepth(), depth),
                                                asked.responderResources()))
                                .rnrRetryCount(parameters.rnrRetryCount())
                                .build())
                .targetAckDelay(NegotiatedAttributes.ACK_DELAY)
                .privateData(
                        Octets.of(parameters.privateData())
                                .padded(ConnectionReply.PRIVATE_DATA_LENGTH))
                .build();
    }

    /// The application rejects.
    void reject(Connection connection, Octets privateData) {
        // An ID of 0: ours means nothing to a peer whose REQ is rejected.
        signalling.send(
                connection,
                Rejection.of(
                        0,
                        connection.remoteId,
                        Rejection.OF_REQ,
                        RejectReason.CONSUMER_REJECT,
                        Octets.EMPTY,
                        privateData));
        teardown.end(connection);
    }

    /// The active side says with an RTU that it is ready.
    void onReadyToUse(Connection connection, Octets privateData, long nowNanos) {
        signalling.answered(connection, nowNanos);
        established(connection, privateData);
    }

    /// A packet that only the active side can have sent: its RTU is lost, or overtaken. How long
    /// the round trip took is not known.
    void onPacket(Connection connection) {
        signalling.host.handshakeTook(connection, 0);
        established(connection, Octets.EMPTY);
    }

    private void established(Connection connection, Octets privateData) {
        signalling.table.cancelTimer(connection);
        connection.limitNanos = ConnectionTable.NEVER;
        connection.isSourceProven = true;
        connection.enter(ConnectionState.ESTABLISHED);
        signalling.raise(
                connection,
                ConnectionEvent.Type.ESTABLISHED,
                parameters(connection.request, privateData));
    }

    /// The active side gave up, or could not connect its queue pair.
    void onRejection(Connection connection, Rejection rejection, long nowNanos) {
        if (connection.state() == ConnectionState.REQ_RCVD) {
            teardown.end(connection);
        } else {
            teardown.enterTimewait(connection, nowNanos);
        }
        signalling.raiseRejected(connection, rejection.reason(), rejection.privateData());
    }

    /// The timer ran out in REP_SENT or MRA_REP_RCVD.
    void onTimer(Connection connection, long nowNanos) {
        if (signalling.resend(connection, nowNanos)) {
            connection.enter(ConnectionState.REP_SENT);
            return;
        }
        String limit = signalling.limitOf(connection);
        teardown.enterTimewait(connection, nowNanos);
        signalling.raiseFailure(
                connection,
                ConnectionEvent.Type.UNREACHABLE,
                CmEvent.ETIMEDOUT,
                "no answer from %s to %d replies%s"
                        .formatted(connection.remoteGid(), connection.sent, limit));
    }

    private static ConnectionParameters parameters(ConnectionRequest request, Octets privateData) {
        return new ConnectionParameters(
                request.flow().responderResources(),
                request.flow().initiatorDepth(),
                request.paths().retryCount(),
                request.flow().rnrRetryCount(),
                privateData.toByteArray());
    }

    private void reject(
            Gid destination,
            long transactionId,
            ConnectionRequest request,
            RejectReason reason,
            Octets info) {
        signalling.send(
                destination,
                transactionId,
                Rejection.of(0, request.localId(), Rejection.OF_REQ, reason, info, Octets.EMPTY));
    }
}
