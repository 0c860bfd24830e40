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
import dev.outboard.fabric.roce.wire.cm.Octets;
import dev.outboard.fabric.roce.wire.cm.PathRecord;
import dev.outboard.fabric.roce.wire.cm.ReadyToUse;
import dev.outboard.fabric.roce.wire.cm.RejectReason;
import dev.outboard.fabric.roce.wire.cm.Rejection;
import dev.outboard.fabric.roce.wire.cm.ServiceId;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// The side that asks for a connection, until it is ESTABLISHED: REQ_SENT and MRA_REQ_RCVD.
final class ActiveMachine {
    /// How long we let the peer take to answer, and take ourselves: 4.3 s, as Linux says.
    private static final int RESPONSE_TIMEOUT = 20;

    private static final int HOP_LIMIT = 64;
    private static final int FLOW_LABEL_MASK = 0xF_FFFF;
    private static final int CONSUMER_DATA_LENGTH =
            ConnectionRequest.PRIVATE_DATA_LENGTH - IpAddressHeader.LENGTH;

    private final Signalling signalling;
    private final Teardown teardown;
    private final Ports ports;
    private final RandomGenerator random;

    /// The upper half of every transaction ID.
    private final long transactionSpace;

    ActiveMachine(Signalling signalling, Teardown teardown, Ports ports, RandomGenerator random) {
        this.signalling = signalling;
        this.teardown = teardown;
        this.ports = ports;
        this.random = random;
        this.transactionSpace = random.nextLong() & ~0xFFFF_FFFFL;
    }

    Connection connect(
            Gid remoteGid,
            int remotePort,
            int qpn,
            PathMtu pathMtu,
            ConnectionParameters parameters,
            long nowNanos) {
        Octets consumerData = Octets.of(parameters.privateData()).padded(CONSUMER_DATA_LENGTH);
        int localPort = ports.takeEphemeral();
        ConnectionRequest request =
                request(remoteGid, remotePort, localPort, qpn, pathMtu, parameters, consumerData);
        Connection connection =
                Connection.active(
                        remoteGid,
                        localPort,
                        request,
                        transactionSpace | Integer.toUnsignedLong(request.localId()));
        signalling.table.add(connection);
        signalling.sendUntilAnswered(
                connection, request, signalling.configuration.timers().request(), nowNanos);
        return connection;
    }

    private ConnectionRequest request(
            Gid remoteGid,
            int remotePort,
            int localPort,
            int qpn,
            PathMtu pathMtu,
            ConnectionParameters parameters,
            Octets consumerData) {
        CmConfiguration configuration = signalling.configuration;
        int depth = configuration.maximumReadAtomicDepth();
        PathRecord path =
                PathRecord.builder()
                        .localGid(configuration.localGid())
                        .remoteGid(remoteGid)
                        .flowLabel(localPort * 31 + remotePort & FLOW_LABEL_MASK)
                        .hopLimit(HOP_LIMIT)
                        .localAckTimeout(configuration.ackTimeout())
                        .build();
        return ConnectionRequest.builder()
                .localId(signalling.table.allocateLocalId())
                .serviceId(ServiceId.of(ServiceId.PORT_SPACE_TCP, remotePort))
                .local(
                        LocalEnd.builder()
                                .caGuid(configuration.caGuid())
                                .qpn(qpn)
                                .startingPsn(random.nextInt(Psn.MODULUS))
                                .build())
                .flow(
                        FlowControl.builder()
                                .responderResources(
                                        Math.min(parameters.responderResources(), depth))
                                .initiatorDepth(Math.min(parameters.initiatorDepth(), depth))
                                .rnrRetryCount(parameters.rnrRetryCount())
                                .build())
                .remoteResponseTimeout(RESPONSE_TIMEOUT)
                .localResponseTimeout(RESPONSE_TIMEOUT)
                .maxCmRetries(ResendPolicy.MAX_RESENDS)
                .pathMtu(pathMtu.code())
                .retryCount(parameters.retryCount())
                .primaryPath(path)
                .privateData(
                        new IpAddressHeader(localPort, configuration.localGid(), remoteGid)
                                .followedBy(consumerData, ConnectionRequest.PRIVATE_DATA_LENGTH))
                .build();
    }

    /// A REP for `connection`, which this side asked for.
    void onReply(Connection connection, ConnectionReply reply, long nowNanos) {
        switch (connection.state()) {
            case REQ_SENT, MRA_REQ_RCVD -> connected(connection, reply, nowNanos);
            case ESTABLISHED -> {
                if (reply.localId() == connection.remoteId) {
                    // The RTU was lost.
                    signalling.discard(CmDiscard.DUPLICATE);
                    sendReadyToUse(connection);
                } else {
                    signalling.discard(CmDiscard.WRONG_STATE);
                }
            }
            case REQ_RCVD, REP_SENT, MRA_REP_RCVD, DREQ_SENT, TIMEWAIT, IDLE ->
                    signalling.discard(CmDiscard.WRONG_STATE);
        }
    }

    private void connected(Connection connection, ConnectionReply reply, long nowNanos) {
        Gid peer = connection.remoteGid();
        long caGuid = reply.local().caGuid();
        if (signalling.table.findRemoteId(peer, caGuid, reply.localId()).isPresent()) {
            // It belongs to another connection of ours.
            signalling.discard(CmDiscard.DUPLICATE);
            return;
        }
        Optional<Connection> stale =
                signalling.table.findRemoteQpn(peer, caGuid, reply.local().qpn());
        if (stale.isPresent()) {
            fail(connection, reply, RejectReason.STALE_CONNECTION);
            teardown.dropStale(stale.get(), nowNanos);
            return;
        }
        NegotiatedAttributes attributes =
                NegotiatedAttributes.ofActive(
                        peer, connection.request, reply, signalling.configuration.packetLifetime());
        if (!signalling.host.connectQueuePair(connection, attributes)) {
            fail(connection, reply, RejectReason.CONSUMER_REJECT);
            return;
        }
        signalling.table.bind(connection, reply.localId(), caGuid, reply.local().qpn());
        connection.attributes = attributes;
        connection.limitNanos = ConnectionTable.NEVER;
        signalling.answered(connection, nowNanos);
        connection.enter(ConnectionState.ESTABLISHED);
        sendReadyToUse(connection);
        signalling.raise(
                connection,
                ConnectionEvent.Type.ESTABLISHED,
                new ConnectionParameters(
                        reply.flow().responderResources(),
                        reply.flow().initiatorDepth(),
                        connection.request.paths().retryCount(),
                        reply.flow().rnrRetryCount(),
                        reply.privateData().toByteArray()));
    }

    private void fail(Connection connection, ConnectionReply reply, RejectReason reason) {
        signalling.send(
                connection,
                Rejection.of(
                        connection.localId(),
                        reply.localId(),
                        Rejection.OF_REP,
                        reason,
                        Octets.EMPTY,
                        Octets.EMPTY));
        teardown.end(connection);
        signalling.host.failQueuePair(connection);
        signalling.raiseFailure(
                connection,
                ConnectionEvent.Type.CONNECT_ERROR,
                CmEvent.EINVAL,
                "the queue pair could not be connected");
    }

    private void sendReadyToUse(Connection connection) {
        signalling.send(
                connection,
                new ReadyToUse(connection.localId(), connection.remoteId, Octets.EMPTY));
    }

    void onRejection(Connection connection, Rejection rejection, long nowNanos) {
        if (rejection.reason() == RejectReason.STALE_CONNECTION.code()) {
            // The peer still has a connection to our queue pair.
            teardown.enterTimewait(connection, nowNanos);
        } else {
            teardown.end(connection);
            signalling.host.failQueuePair(connection);
        }
        signalling.raiseRejected(connection, rejection.reason(), rejection.privateData());
    }

    /// The timer ran out in REQ_SENT or MRA_REQ_RCVD.
    void onTimer(Connection connection, long nowNanos) {
        if (signalling.resend(connection, nowNanos)) {
            connection.enter(ConnectionState.REQ_SENT);
            return;
        }
        giveUp(connection);
        signalling.raiseFailure(
                connection,
                ConnectionEvent.Type.UNREACHABLE,
                CmEvent.ETIMEDOUT,
                "no answer from %s port %d to %d connection requests%s"
                        .formatted(
                                connection.remoteGid(),
                                connection.remotePort(),
                                connection.sent,
                                signalling.limitOf(connection)));
    }

    /// Stops asking, and tells the peer, which may be undecided still. Since the peer's ID is not
    /// known, it finds the connection by our CA GUID and communication ID.
    void giveUp(Connection connection) {
        signalling.send(
                connection,
                Rejection.of(
                        connection.localId(),
                        connection.remoteId,
                        Rejection.OF_NONE,
                        RejectReason.TIMEOUT,
                        Octets.ofLong(signalling.configuration.caGuid()),
                        Octets.EMPTY));
        teardown.end(connection);
        signalling.host.failQueuePair(connection);
    }
}
