package dev.outboard.fabric.roce.cm;

import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.cm.ConnectionRequest;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One side of a connection, made by [CmAgent#connect] or by a REQ. The agent owns and changes it;
/// read it on the agent's thread. It is over when its state is IDLE.
public final class Connection {
    /// What a REQ from a forged address can make us send there.
    static final int ANSWERS_PER_REQUEST = 3;

    private final int localId;
    private final Gid remoteGid;
    private final int localPort;
    private final int remotePort;
    private final @Nullable Listener listener;

    /// The REQ that it started with: sent by the active side, received by the passive side.
    final ConnectionRequest request;

    /// Chosen by the active side for the exchange of REQ, REP and RTU.
    final long transactionId;

    /// The peer's communication ID; 0 until a REP brings it.
    int remoteId;

    /// What identifies the peer's stack instance, from its REQ or REP; 0 until known.
    long remoteCaGuid;

    /// 0 on the passive side until accept.
    int localQpn;

    /// 0 until known.
    int remoteQpn;

    /// Null until the REP was sent or received.
    @Nullable NegotiatedAttributes attributes;

    /// The application wants no more events.
    boolean isDestroyed;

    /// Sent again and again until something answers it.
    byte[] unanswered = {};

    /// How often `unanswered` was sent.
    int sent;

    /// When `unanswered` was sent first.
    long sentNanos;

    /// Whether the peer is known to be where its REQ came from, which may be forged: it knows
    /// something that was sent there.
    boolean isSourceProven;

    /// Messages that may be sent to an unproven source.
    int answersLeft = ANSWERS_PER_REQUEST;

    /// A repetition of `unanswered` was not sent for want of `answersLeft`.
    boolean isWithheld;

    /// When an attempt to connect ends at the latest.
    long limitNanos = ConnectionTable.NEVER;

    /// When and how often `unanswered` is sent again.
    ResendPolicy resendPolicy = ResendPolicy.constant(CmTimers.LINUX.request().first(), 0);

    /// When the timer runs out; only [ConnectionTable] changes it.
    long deadlineNanos = ConnectionTable.NEVER;

    private ConnectionState state;

    private Connection(
            int localId,
            Gid remoteGid,
            int localPort,
            int remotePort,
            @Nullable Listener listener,
            ConnectionRequest request,
            long transactionId,
            ConnectionState state) {
        this.localId = localId;
        this.remoteGid = remoteGid;
        this.localPort = localPort;
        this.remotePort = remotePort;
        this.listener = listener;
        this.request = request;
        this.transactionId = transactionId;
        this.state = state;
    }

    /// The side that sends `request`.
    static Connection active(
            Gid remoteGid, int localPort, ConnectionRequest request, long transactionId) {
        Connection connection =
                new Connection(
                        request.localId(),
                        remoteGid,
                        localPort,
                        request.service().id().port(),
                        null,
                        request,
                        transactionId,
                        ConnectionState.REQ_SENT);
        connection.localQpn = request.local().qpn();
        connection.isSourceProven = true;
        return connection;
    }

    /// The side that received `request`.
    static Connection passive(
            int localId,
            Gid remoteGid,
            int remotePort,
            Listener listener,
            ConnectionRequest request,
            long transactionId) {
        Connection connection =
                new Connection(
                        localId,
                        remoteGid,
                        listener.port(),
                        remotePort,
                        listener,
                        request,
                        transactionId,
                        ConnectionState.REQ_RCVD);
        listener.undecided++;
        return connection;
    }

    void enter(ConnectionState next) {
        if (state == ConnectionState.REQ_RCVD && listener != null) {
            listener.undecided--;
        }
        state = next;
    }

    public ConnectionState state() {
        return state;
    }

    /// Whether this side sent the REQ.
    public boolean isActive() {
        return listener == null;
    }

    /// The local communication ID.
    public int localId() {
        return localId;
    }

    /// The local queue pair; 0 on the passive side until it is accepted.
    public int localQpn() {
        return localQpn;
    }

    /// The passive side's listener.
    public Optional<Listener> listener() {
        return Optional.ofNullable(listener);
    }

    public Gid remoteGid() {
        return remoteGid;
    }

    public int localPort() {
        return localPort;
    }

    public int remotePort() {
        return remotePort;
    }

    /// What was agreed on, once REQ and REP were exchanged.
    public Optional<NegotiatedAttributes> attributes() {
        return Optional.ofNullable(attributes);
    }

    /// The code of the time that packets of this connection may still be on their way.
    int timewaitCode(CmConfiguration configuration) {
        return attributes == null ? configuration.ackTimeout() : attributes.ackTimeoutCode();
    }

    @Override
    public String toString() {
        return "connection %08x %s %s port %d, local port %d, %s"
                .formatted(
                        localId,
                        isActive() ? "to" : "from",
                        remoteGid,
                        remotePort,
                        localPort,
                        state);
    }
}
