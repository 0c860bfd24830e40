package dev.outboard.fabric.roce.cm;

import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.PathMtu;
import dev.outboard.fabric.roce.wire.cm.CmDatagram;
import dev.outboard.fabric.roce.wire.cm.CmMessage;
import dev.outboard.fabric.roce.wire.cm.ConnectionReply;
import dev.outboard.fabric.roce.wire.cm.ConnectionRequest;
import dev.outboard.fabric.roce.wire.cm.DatagramFlaw;
import dev.outboard.fabric.roce.wire.cm.DisconnectReply;
import dev.outboard.fabric.roce.wire.cm.DisconnectRequest;
import dev.outboard.fabric.roce.wire.cm.MessageReceiptAcknowledgement;
import dev.outboard.fabric.roce.wire.cm.Octets;
import dev.outboard.fabric.roce.wire.cm.ReadyToUse;
import dev.outboard.fabric.roce.wire.cm.RejectReason;
import dev.outboard.fabric.roce.wire.cm.Rejection;
import dev.outboard.fabric.roce.wire.cm.SidrReply;
import dev.outboard.fabric.roce.wire.cm.SidrRequest;
import dev.outboard.fabric.roce.wire.cm.TimeoutCode;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// The connection manager of one device: makes and ends reliable connections by exchanging
/// management datagrams with the agents of other devices (RDMA IP CM over InfiniBand CM, TCP port
/// space). Its [ServiceResolver] does the same for datagram services (UDP port space).
///
/// It has no socket, clock or thread: its owner hands in datagrams, commands and the time, one call
/// at a time, and a [CmHost] carries out what the agent decides. Call [#onTimer] when
/// [#deadlineNanos] has passed. Times are nanoseconds of any clock that only grows.
///
/// Whatever a peer sends, the agent does not throw, answers a datagram with two at most, and keeps
/// at most [CmConfiguration#maximumAccepted] connections that peers asked for.
public final class CmAgent {
    static final int MAX_PORT = 0xFFFF;
    private static final int MAX_QPN = 0xFF_FFFE;

    /// The longest time that an MRA can make us wait: 65 s, what Linux asks for.
    private static final int MAX_SERVICE_TIMEOUT = 24;

    private final Ports ports;
    private final ConnectionTable table;
    private final Signalling signalling;
    private final Teardown teardown;
    private final ActiveMachine active;
    private final PassiveMachine passive;
    private final ServiceResolver resolver;

    /// An agent without listeners and connections.
    ///
    /// @param random for IDs, ports and PSNs; on a real network a secure one
    public CmAgent(CmConfiguration configuration, CmHost host, RandomGenerator random) {
        ports = new Ports(random);
        table = new ConnectionTable(random.nextInt());
        signalling = new Signalling(configuration, host, table);
        teardown = new Teardown(signalling, ports);
        active = new ActiveMachine(signalling, teardown, ports, random);
        passive = new PassiveMachine(signalling, teardown, random);
        resolver = new ServiceResolver(signalling, random);
    }

    /// The part for datagram services.
    public ServiceResolver resolver() {
        return resolver;
    }

    /// Takes connection requests for `port`; 0 takes a free one.
    ///
    /// @param backlog requests that may wait for the application's answer, 1 or more; further ones
    ///   are dropped without an answer
    /// @throws FabricException with SERVICE_IN_USE if the port is taken
    public Listener listen(int port, int backlog) {
        Listener listener = Listener.on(ports, port, backlog);
        passive.add(listener);
        return listener;
    }

    /// Takes no more requests; connections that came from the listener live on. Closing twice is
    /// harmless.
    public void close(Listener listener) {
        if (passive.remove(listener)) {
            ports.release(listener.port());
        }
    }

    /// Asks `remoteGid` for a connection. Ends in ESTABLISHED, REJECTED, UNREACHABLE or
    /// CONNECT_ERROR.
    ///
    /// @param qpn the local queue pair, in state INIT
    /// @param pathMtu to propose, at most the device's
    /// @param parameters with at most 56 bytes of private data; depths beyond what the device can
    ///   do are lowered to that
    /// @throws IllegalArgumentException if the private data is too long
    /// @throws IllegalStateException if the queue pair is [in TIMEWAIT][#isInTimewait]
    /// @throws FabricException with LIMIT_REACHED if no local port is free
    public Connection connect(
            Gid remoteGid,
            int remotePort,
            int qpn,
            PathMtu pathMtu,
            ConnectionParameters parameters,
            long nowNanos) {
        requirePort(remotePort);
        requireUsable(qpn);
        return active.connect(remoteGid, remotePort, qpn, pathMtu, parameters, nowNanos);
    }

    /// Lets an attempt that [#connect] or [#accept] began end at `limitNanos`, in UNREACHABLE, if
    /// nothing else has ended it before. Without effect once it has ended.
    public void limit(Connection connection, long limitNanos) {
        switch (connection.state()) {
            case REQ_SENT, MRA_REQ_RCVD, REP_SENT, MRA_REP_RCVD ->
                    signalling.limit(connection, limitNanos);
            case REQ_RCVD, ESTABLISHED, DREQ_SENT, TIMEWAIT, IDLE -> {}
        }
    }

    /// Accepts the request that a CONNECT_REQUEST event brought. Ends in ESTABLISHED, UNREACHABLE,
    /// REJECTED (the peer could not connect its queue pair, or gave up) or DISCONNECTED.
    ///
    /// @param qpn the local queue pair, in state INIT; it is connected when this returns
    /// @param parameters with at most 196 bytes of private data; depths beyond what the device can
    ///   do or the peer asked for are lowered to that. The retry count is the REQ's
    /// @return false if the connection is over: the peer has withdrawn its request, or the queue
    ///   pair could not be connected, in which case the peer was told
    /// @throws IllegalArgumentException if the private data is too long
    /// @throws IllegalStateException if it was answered already, or if the queue pair is [in
    ///   TIMEWAIT][#isInTimewait]
    public boolean accept(
            Connection connection, int qpn, ConnectionParameters parameters, long nowNanos) {
        requireUsable(qpn);
        return isUndecided(connection) && passive.accept(connection, qpn, parameters, nowNanos);
    }

    /// Rejects the request that a CONNECT_REQUEST event brought. Harmless if the peer has withdrawn
    /// it.
    ///
    /// @param privateData at most 148 bytes for the peer
    /// @throws IllegalArgumentException if the private data is too long
    /// @throws IllegalStateException if it was answered already
    public void reject(Connection connection, byte[] privateData) {
        Octets padded = Octets.of(privateData).padded(Rejection.PRIVATE_DATA_LENGTH);
        if (isUndecided(connection)) {
            passive.reject(connection, padded);
        }
    }

    /// Ends an established connection, or an accepted one: the queue pair fails at once,
    /// DISCONNECTED comes when the peer answers or does not answer for too long. Harmless if it is
    /// ending already.
    ///
    /// @throws IllegalStateException before it is accepted; [reject][#reject] or
    ///   [destroy][#destroy] it instead
    public void disconnect(Connection connection, long nowNanos) {
        teardown.disconnect(connection, nowNanos);
    }

    /// Ends the connection whatever its state, in the way that suits the peer, and raises no more
    /// events for it. It stays in TIMEWAIT as any other. Destroying twice is harmless.
    public void destroy(Connection connection, long nowNanos) {
        connection.isDestroyed = true;
        switch (connection.state()) {
            case REQ_SENT, MRA_REQ_RCVD -> active.giveUp(connection);
            case REQ_RCVD -> passive.reject(connection, Octets.EMPTY);
            case REP_SENT, MRA_REP_RCVD, ESTABLISHED, DREQ_SENT, TIMEWAIT, IDLE ->
                    teardown.disconnect(connection, nowNanos);
        }
    }

    /// Says good-bye to every peer, once, and forgets everything: the device closes.
    public void shutDown(long nowNanos) {
        resolver.shutDown(nowNanos);
        for (Connection connection : table.snapshot()) {
            destroy(connection, nowNanos);
            if (connection.state() != ConnectionState.IDLE) {
                teardown.end(connection);
            }
        }
    }

    /// A valid packet arrived on the connection's queue pair: the peer is connected, even if its
    /// RTU was lost or comes later. Cheap, so it may be called for every packet.
    ///
    /// ROCE-CM-8: a packet on the queue pair does what a lost RTU would have done.
    public void queuePairReceivedPacket(Connection connection) {
        if (isReplied(connection)) {
            passive.onPacket(connection);
        }
    }

    /// Whether a queue pair that had this number was connected so recently that packets for it may
    /// be on their way: do not reuse the number yet.
    ///
    /// ROCE-CM-15: numbers are not used again while packets for them may be on their way.
    public boolean isInTimewait(int qpn) {
        return table.isInTimewait(qpn);
    }

    /// Connections that are not IDLE.
    public int connectionCount() {
        return table.size();
    }

    public CmCounters counters() {
        return signalling.counters;
    }

    /// When to call [#onTimer], or `Long.MAX_VALUE`. Changes with every other call.
    public long deadlineNanos() {
        return Math.min(table.deadlineNanos(), resolver.deadlineNanos());
    }

    /// Does what is due at `nowNanos`.
    public void onTimer(long nowNanos) {
        resolver.onTimer(nowNanos);
        Connection connection = table.pollExpired(nowNanos);
        while (connection != null) {
            switch (connection.state()) {
                case REQ_SENT, MRA_REQ_RCVD -> active.onTimer(connection, nowNanos);
                case REP_SENT, MRA_REP_RCVD -> passive.onTimer(connection, nowNanos);
                case DREQ_SENT, TIMEWAIT -> teardown.onTimer(connection, nowNanos);
                case REQ_RCVD, ESTABLISHED, IDLE ->
                        throw new AssertionError("no timer runs in " + connection);
            }
            connection = table.pollExpired(nowNanos);
        }
    }

    /// A datagram arrived on queue pair 1. Whatever it holds, this does not throw.
    public void receive(Gid source, byte[] mad, long nowNanos) {
        DatagramFlaw flaw = CmDatagram.check(mad);
        if (flaw != null) {
            signalling.discard(flaw);
            return;
        }
        CmDatagram datagram = CmDatagram.parse(mad);
        CmMessage message = datagram.message();
        signalling.counters.countReceived(message.attribute());
        long transactionId = datagram.transactionId();
        switch (message) {
            case ConnectionRequest request -> {
                if (isWellFormed(request.localId(), request.local().qpn())) {
                    passive.onRequest(source, transactionId, request, nowNanos);
                }
            }
            case ConnectionReply reply -> onReply(source, reply, nowNanos);
            case ReadyToUse rtu -> onReadyToUse(source, rtu, nowNanos);
            case MessageReceiptAcknowledgement mra -> onAcknowledgement(source, mra, nowNanos);
            case Rejection rejection -> onRejection(source, rejection, nowNanos);
            case DisconnectRequest request ->
                    teardown.onDisconnectRequest(source, transactionId, request, nowNanos);
            case DisconnectReply reply ->
                    from(source, table.find(reply.remoteId(), reply.localId()))
                            .ifPresent(c -> teardown.onDisconnectReply(c, nowNanos));
            case SidrRequest request ->
                    resolver.onRequest(source, transactionId, request, nowNanos);
            case SidrReply reply -> resolver.onReply(source, reply);
        }
    }

    private void onReply(Gid source, ConnectionReply reply, long nowNanos) {
        if (isWellFormed(reply.localId(), reply.local().qpn())) {
            from(source, table.find(reply.remoteId()))
                    .ifPresent(c -> active.onReply(c, reply, nowNanos));
        }
    }

    private void onReadyToUse(Gid source, ReadyToUse rtu, long nowNanos) {
        from(source, table.find(rtu.remoteId(), rtu.localId()))
                .ifPresent(connection -> {
                    if (isReplied(connection)) {
                        passive.onReadyToUse(connection, rtu.privateData(), nowNanos);
                    } else {
                        signalling.discard(CmDiscard.WRONG_STATE);
                    }
                });
    }

    /// The peer asks for more time, once per message that we send.
    ///
    /// ROCE-CM-11: a peer that asks for more time gets it.
    private void onAcknowledgement(Gid source, MessageReceiptAcknowledgement mra, long nowNanos) {
        boolean ofRequest = mra.messageAcknowledged() == MessageReceiptAcknowledgement.OF_REQ;
        Optional<Connection> found =
                ofRequest ? table.find(mra.remoteId()) : table.find(mra.remoteId(), mra.localId());
        from(source, found)
                .ifPresent(connection -> {
                    if (ofRequest && connection.state() == ConnectionState.REQ_SENT) {
                        connection.enter(ConnectionState.MRA_REQ_RCVD);
                    } else if (mra.messageAcknowledged() == MessageReceiptAcknowledgement.OF_REP
                            && connection.state() == ConnectionState.REP_SENT) {
                        connection.isSourceProven = true;
                        connection.enter(ConnectionState.MRA_REP_RCVD);
                    } else {
                        signalling.discard(CmDiscard.WRONG_STATE);
                        return;
                    }
                    extend(connection, mra.serviceTimeout(), nowNanos);
                });
    }

    private void extend(Connection connection, int serviceTimeout, long nowNanos) {
        int ackTimeout = connection.timewaitCode(signalling.configuration);
        table.startTimer(
                connection,
                nowNanos
                        + TimeoutCode.nanos(Math.min(serviceTimeout, MAX_SERVICE_TIMEOUT))
                        + TimeoutCode.nanos(ackTimeout));
    }

    private void onRejection(Gid source, Rejection rejection, long nowNanos) {
        boolean ofRequest = rejection.messageRejected() == Rejection.OF_REQ;
        from(source, findRejected(source, rejection))
                .ifPresent(connection -> {
                    switch (connection.state()) {
                        case REQ_SENT, MRA_REQ_RCVD ->
                                active.onRejection(connection, rejection, nowNanos);
                        case REQ_RCVD, REP_SENT, MRA_REP_RCVD ->
                                passive.onRejection(connection, rejection, nowNanos);
                        case ESTABLISHED, DREQ_SENT -> {
                            if (ofRequest) {
                                // Late: the request was granted meanwhile.
                                signalling.discard(CmDiscard.WRONG_STATE);
                            } else {
                                teardown.onRejection(connection, nowNanos);
                            }
                        }
                        case TIMEWAIT, IDLE -> signalling.discard(CmDiscard.WRONG_STATE);
                    }
                });
    }

    /// A REQ is rejected by our ID alone, for the peer has none yet. A peer that gave up has not
    /// learned ours, and names itself by its CA GUID. Anything else brings both IDs.
    private Optional<Connection> findRejected(Gid source, Rejection rejection) {
        if (rejection.reason() == RejectReason.TIMEOUT.code()
                && rejection.additionalInfoLength() >= Long.BYTES) {
            long caGuid = rejection.additionalInfo().asByteBuffer().getLong();
            return table.findRemoteId(source, caGuid, rejection.localId());
        }
        return rejection.messageRejected() == Rejection.OF_REQ
                ? table.find(rejection.remoteId()).filter(Connection::isActive)
                : table.find(rejection.remoteId(), rejection.localId());
    }

    /// The connection a message is for, if it is the peer's to send; else the message is dropped.
    private Optional<Connection> from(Gid source, Optional<Connection> connection) {
        if (connection.isEmpty()) {
            signalling.discard(CmDiscard.UNKNOWN_ID);
        } else if (!source.equals(connection.get().remoteGid())) {
            signalling.discard(CmDiscard.WRONG_SOURCE);
            return Optional.empty();
        }
        return connection;
    }

    private boolean isWellFormed(int remoteId, int remoteQpn) {
        boolean wellFormed = remoteId != 0 && isQpn(remoteQpn);
        if (!wellFormed) {
            signalling.discard(CmDiscard.MALFORMED);
        }
        return wellFormed;
    }

    /// 0 and 1 are the management queue pairs, all ones is multicast.
    static boolean isQpn(int number) {
        return number > 1 && number <= MAX_QPN;
    }

    private static boolean isReplied(Connection connection) {
        return connection.state() == ConnectionState.REP_SENT
                || connection.state() == ConnectionState.MRA_REP_RCVD;
    }

    /// True if the application may answer the request now, false if it is over.
    private static boolean isUndecided(Connection connection) {
        return switch (connection.state()) {
            case REQ_RCVD -> true;
            case IDLE -> false;
            default -> throw new IllegalStateException(connection + " has no request to answer");
        };
    }

    private void requireUsable(int qpn) {
        require(isQpn(qpn), "queue pair number", qpn, "2 to 0xfffffe");
        if (table.isInTimewait(qpn)) {
            throw new IllegalStateException(
                    "queue pair %d is in TIMEWAIT; use another".formatted(qpn));
        }
    }

    static void requirePort(int remotePort) {
        require(remotePort > 0 && remotePort <= MAX_PORT, "port", remotePort, "1 to 65535");
    }

    static void require(boolean condition, String what, int value, String valid) {
        if (!condition) {
            throw new IllegalArgumentException(what + " is " + value + "; valid: " + valid);
        }
    }
}
