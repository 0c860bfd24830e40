package dev.outboard.fabric.roce.cm;

import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.cm.DisconnectReply;
import dev.outboard.fabric.roce.wire.cm.DisconnectRequest;
import dev.outboard.fabric.roce.wire.cm.Octets;
import dev.outboard.fabric.roce.wire.cm.RejectReason;
import dev.outboard.fabric.roce.wire.cm.TimeoutCode;
import java.util.Optional;

/// How connections end, on either side: ESTABLISHED, DREQ_SENT, TIMEWAIT, IDLE.
///
/// A connection whose queue pair was connected always passes through TIMEWAIT, whatever ended it.
final class Teardown {
    private final Signalling signalling;
    private final Ports ports;

    Teardown(Signalling signalling, Ports ports) {
        this.signalling = signalling;
        this.ports = ports;
    }

    /// Ends a connection from this side. Harmless if it is ending already, or not connected yet.
    ///
    /// In REP_SENT the peer may be connected already, so it gets a DREQ there too.
    ///
    /// ROCE-CM-14: either end may end the connection, or both at once.
    void disconnect(Connection connection, long nowNanos) {
        switch (connection.state()) {
            case REP_SENT, MRA_REP_RCVD, ESTABLISHED -> {
                connection.enter(ConnectionState.DREQ_SENT);
                connection.limitNanos = ConnectionTable.NEVER;
                signalling.table.releaseRemoteQpn(connection);
                signalling.host.failQueuePair(connection);
                signalling.sendUntilAnswered(
                        connection,
                        new DisconnectRequest(
                                connection.localId(),
                                connection.remoteId,
                                connection.remoteQpn,
                                Octets.EMPTY),
                        signalling.configuration.timers().disconnect(),
                        nowNanos);
            }
            case DREQ_SENT, TIMEWAIT, IDLE, REQ_SENT, MRA_REQ_RCVD, REQ_RCVD -> {}
        }
    }

    /// The peer connects a queue pair that is connected here already: it has forgotten the old
    /// connection, most likely in a crash.
    void dropStale(Connection connection, long nowNanos) {
        if (connection.state() == ConnectionState.REQ_RCVD) {
            end(connection);
            signalling.raiseRejected(
                    connection, RejectReason.STALE_CONNECTION.code(), Octets.EMPTY);
        } else {
            disconnect(connection, nowNanos);
        }
    }

    /// A DREQ is always answered unless it is not meant for the connection it names: the peer may
    /// have missed the answer, or have crashed and forgotten, or we may have.
    ///
    /// ROCE-CM-18: the two IDs name the connection, whatever the transaction ID is.
    void onDisconnectRequest(
            Gid source, long transactionId, DisconnectRequest request, long nowNanos) {
        Optional<Connection> found = signalling.table.find(request.remoteId(), request.localId());
        if (found.isEmpty()) {
            signalling.discard(CmDiscard.UNKNOWN_ID);
            reply(source, transactionId, request);
            return;
        }
        Connection connection = found.get();
        if (!source.equals(connection.remoteGid())) {
            signalling.discard(CmDiscard.WRONG_SOURCE);
        } else if (request.remoteQpn() != connection.localQpn) {
            signalling.discard(CmDiscard.WRONG_QUEUE_PAIR);
        } else {
            onDisconnectRequest(connection, transactionId, request, nowNanos);
        }
    }

    private void onDisconnectRequest(
            Connection connection, long transactionId, DisconnectRequest request, long nowNanos) {
        switch (connection.state()) {
            case REP_SENT, MRA_REP_RCVD, ESTABLISHED, DREQ_SENT -> {
                reply(connection.remoteGid(), transactionId, request);
                enterTimewait(connection, nowNanos);
                signalling.raise(connection, ConnectionEvent.Type.DISCONNECTED);
            }
            case REQ_SENT, MRA_REQ_RCVD -> {
                // The peer accepted and disconnected at once; its REP was lost or overtaken.
                reply(connection.remoteGid(), transactionId, request);
                enterTimewait(connection, nowNanos);
                signalling.raiseRejected(
                        connection, RejectReason.CONSUMER_REJECT.code(), Octets.EMPTY);
            }
            case TIMEWAIT -> {
                signalling.discard(CmDiscard.DUPLICATE);
                reply(connection.remoteGid(), transactionId, request);
            }
            case REQ_RCVD, IDLE -> signalling.discard(CmDiscard.WRONG_STATE);
        }
    }

    void onDisconnectReply(Connection connection, long nowNanos) {
        if (connection.state() != ConnectionState.DREQ_SENT) {
            signalling.discard(CmDiscard.WRONG_STATE);
            return;
        }
        enterTimewait(connection, nowNanos);
        signalling.raise(connection, ConnectionEvent.Type.DISCONNECTED);
    }

    /// A REJ for a connection that this side takes for established, or is disconnecting: the peer
    /// has dropped it.
    void onRejection(Connection connection, long nowNanos) {
        enterTimewait(connection, nowNanos);
        signalling.raise(connection, ConnectionEvent.Type.DISCONNECTED);
    }

    /// The timer ran out in DREQ_SENT or TIMEWAIT.
    void onTimer(Connection connection, long nowNanos) {
        if (connection.state() == ConnectionState.TIMEWAIT) {
            end(connection);
            signalling.raise(connection, ConnectionEvent.Type.TIMEWAIT_EXIT);
        } else if (!signalling.resend(connection, nowNanos)) {
            enterTimewait(connection, nowNanos);
            signalling.raiseFailure(
                    connection,
                    ConnectionEvent.Type.DISCONNECTED,
                    CmEvent.ETIMEDOUT,
                    "the peer did not answer the disconnect");
        }
    }

    /// Fails the queue pair and waits until no packet of the connection can be on its way.
    ///
    /// ROCE-CM-14: the queue pair is flushed, and its number waits until it may be used again.
    void enterTimewait(Connection connection, long nowNanos) {
        connection.enter(ConnectionState.TIMEWAIT);
        connection.limitNanos = ConnectionTable.NEVER;
        signalling.table.releaseRemoteQpn(connection);
        signalling.table.occupyTimewaitQpn(connection);
        signalling.table.startTimer(
                connection,
                nowNanos + TimeoutCode.nanos(connection.timewaitCode(signalling.configuration)));
        signalling.host.failQueuePair(connection);
    }

    /// Forgets the connection.
    void end(Connection connection) {
        signalling.table.remove(connection);
        connection.enter(ConnectionState.IDLE);
        if (connection.isActive()) {
            ports.release(connection.localPort());
        }
    }

    private void reply(Gid destination, long transactionId, DisconnectRequest request) {
        int ours = request.remoteId();
        int theirs = request.localId();
        signalling.send(
                destination, transactionId, new DisconnectReply(ours, theirs, Octets.EMPTY));
    }
}
