package dev.outboard.fabric.roce.cm;

import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.cm.CmDatagram;
import dev.outboard.fabric.roce.wire.cm.CmMessage;
import dev.outboard.fabric.roce.wire.cm.DatagramFlaw;
import dev.outboard.fabric.roce.wire.cm.Octets;
import dev.outboard.fabric.roce.wire.cm.RejectReason;
import java.time.Duration;

/// What the state machines of one agent share: the device's facts, the connections, and the ways to
/// send a message and to raise an event.
final class Signalling {
    private static final ConnectionParameters NO_PARAMETERS =
            new ConnectionParameters(0, 0, 0, 0, new byte[0]);

    final CmConfiguration configuration;
    final CmHost host;
    final ConnectionTable table;
    final CmCounters counters = new CmCounters();

    Signalling(CmConfiguration configuration, CmHost host, ConnectionTable table) {
        this.configuration = configuration;
        this.host = host;
        this.table = table;
    }

    /// Sends `message` once.
    void send(Gid destination, long transactionId, CmMessage message) {
        counters.countSent(message.attribute());
        host.send(destination, new CmDatagram(transactionId, message).emit());
    }

    /// Sends `message` once, as part of the exchange that made `connection`.
    void send(Connection connection, CmMessage message) {
        if (takeAnswer(connection)) {
            send(connection.remoteGid(), connection.transactionId, message);
        }
    }

    /// Whether another message may go to a peer whose REQ perhaps came from a forged address: three
    /// for each REQ, until something tells that an answer has arrived there.
    private boolean takeAnswer(Connection connection) {
        if (connection.isSourceProven) {
            return true;
        }
        if (connection.answersLeft == 0) {
            counters.countWithheld();
            return false;
        }
        connection.answersLeft--;
        return true;
    }

    /// Sends `message`, and again on every [#resend] until the policy is exhausted.
    void sendUntilAnswered(
            Connection connection, CmMessage message, ResendPolicy policy, long nowNanos) {
        connection.unanswered = new CmDatagram(connection.transactionId, message).emit();
        connection.resendPolicy = policy;
        connection.sent = 1;
        connection.sentNanos = nowNanos;
        table.startTimer(connection, nowNanos + policy.waitNanos(1));
        connection.isWithheld = !takeAnswer(connection);
        if (!connection.isWithheld) {
            counters.countSent(message.attribute());
            host.send(connection.remoteGid(), connection.unanswered.clone());
        }
    }

    /// The unanswered message is answered by the peer's next. If it was repeated, nobody can tell
    /// which copy that is about, and how long it took.
    void answered(Connection connection, long nowNanos) {
        table.cancelTimer(connection);
        long took = connection.sent == 1 ? nowNanos - connection.sentNanos : 0;
        host.handshakeTook(connection, took);
    }

    /// The attempt to connect ends then, not before and not later. A REQ is repeated until then;
    /// how often a REP is says the REQ.
    void limit(Connection connection, long limitNanos) {
        connection.limitNanos = limitNanos;
        if (connection.isActive()) {
            ResendPolicy usual = connection.resendPolicy;
            connection.resendPolicy =
                    ResendPolicy.within(
                            usual.first(),
                            usual.longest(),
                            Duration.ofNanos(limitNanos - connection.sentNanos));
        }
        table.startTimer(connection, connection.deadlineNanos);
    }

    /// For explanations: nothing without a limit.
    String limitOf(Connection connection) {
        return connection.limitNanos == ConnectionTable.NEVER
                ? ""
                : " within the limit of this attempt";
    }

    /// Sends the unanswered message again, byte for byte, or only waits on if the attempt has a
    /// limit that has not passed.
    ///
    /// ROCE-CM-6: the same bytes again, after growing waits, and so often.
    ///
    /// @return false if it was sent often enough, or the limit has passed
    boolean resend(Connection connection, long nowNanos) {
        if (nowNanos >= connection.limitNanos) {
            return false;
        }
        if (connection.sent > connection.resendPolicy.resends()) {
            boolean isLimited = connection.limitNanos != ConnectionTable.NEVER;
            if (isLimited) {
                table.startTimer(connection, connection.limitNanos);
            }
            return isLimited;
        }
        connection.sent++;
        table.startTimer(connection, nowNanos + connection.resendPolicy.waitNanos(connection.sent));
        repeat(connection);
        return true;
    }

    /// The peer repeats its REQ: it may have three more answers. It gets at once what was withheld,
    /// and the REP that no timer repeats any more: all of them were lost.
    void requestedAgain(Connection connection) {
        connection.answersLeft = Connection.ANSWERS_PER_REQUEST;
        boolean isLost =
                connection.state() == ConnectionState.REP_SENT
                        && connection.sent > connection.resendPolicy.resends();
        if (connection.isWithheld || isLost) {
            repeat(connection);
        }
    }

    private void repeat(Connection connection) {
        connection.isWithheld = !takeAnswer(connection);
        if (!connection.isWithheld) {
            counters.countResent();
            host.send(connection.remoteGid(), connection.unanswered.clone());
        }
    }

    void discard(DatagramFlaw reason) {
        counters.countDiscarded(reason);
    }

    void discard(CmDiscard reason) {
        counters.countDiscarded(reason);
    }

    /// Raises an event of something that went well. Callers raise as their last deed: the
    /// application may call the agent from within.
    void raise(Connection connection, ConnectionEvent.Type type) {
        raise(connection, type, 0, "", NO_PARAMETERS);
    }

    void raise(Connection connection, ConnectionEvent.Type type, ConnectionParameters parameters) {
        raise(connection, type, 0, "", parameters);
    }

    void raiseFailure(
            Connection connection, ConnectionEvent.Type type, int status, String explanation) {
        raise(connection, type, status, explanation, NO_PARAMETERS);
    }

    void raiseRejected(Connection connection, int reason, Octets privateData) {
        raise(
                connection,
                ConnectionEvent.Type.REJECTED,
                reason,
                RejectReason.explain(reason),
                new ConnectionParameters(0, 0, 0, 0, privateData.toByteArray()));
    }

    void raise(ResolutionEvent event) {
        if (!event.resolution().isDestroyed) {
            host.event(event);
        }
    }

    private void raise(
            Connection connection,
            ConnectionEvent.Type type,
            int status,
            String explanation,
            ConnectionParameters parameters) {
        if (!connection.isDestroyed) {
            host.event(new CmEvent(type, connection, status, explanation, parameters));
        }
    }
}
