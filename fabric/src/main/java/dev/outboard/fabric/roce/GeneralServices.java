package dev.outboard.fabric.roce;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairChange.Attribute;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.roce.cm.CmAgent;
import dev.outboard.fabric.roce.cm.CmConfiguration;
import dev.outboard.fabric.roce.cm.CmEvent;
import dev.outboard.fabric.roce.cm.CmHost;
import dev.outboard.fabric.roce.cm.Connection;
import dev.outboard.fabric.roce.cm.Listener;
import dev.outboard.fabric.roce.cm.NegotiatedAttributes;
import dev.outboard.fabric.roce.cm.Resolution;
import dev.outboard.fabric.roce.cm.ResolutionEvent;
import dev.outboard.fabric.roce.rc.CongestionControl;
import dev.outboard.fabric.roce.rc.RcConnection;
import dev.outboard.fabric.roce.rc.RcQueuePair;
import dev.outboard.fabric.roce.wire.Discard;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.PacketSink;
import dev.outboard.fabric.roce.wire.Path;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Connects the connection manager to the engine, to queue pair 1, and to the [RoceConnectionId]s
/// of the application. Only the thread that drives the engine touches it.
final class GeneralServices implements CmHost {
    /// roce.md 3.5: 0.64 ms; Linux's 0 would mean 655 ms.
    static final int MIN_RNR_TIMER_CODE = 12;

    private final Gid localGid;
    private final CongestionControl congestion;
    private final CmAgent agent;
    private final Consumer<Discard> discards;
    private final QueuePairOne queuePairOne = new QueuePairOne();
    private final Queue<Outgoing> outgoing = new ArrayDeque<>();
    private final Map<Connection, RoceConnectedId> connections = new HashMap<>();
    private final Map<Resolution, RoceDatagramId> resolutions = new HashMap<>();
    private final Map<Listener, RoceConnectionId> listeners = new HashMap<>();

    private record Outgoing(Path path, byte[] datagram) {}

    GeneralServices(
            CmConfiguration configuration,
            RandomGenerator random,
            CongestionControl congestion,
            Consumer<Discard> discards) {
        this.congestion = congestion;
        this.localGid = configuration.localGid();
        this.agent = new CmAgent(configuration, this, random);
        this.discards = discards;
    }

    CmAgent agent() {
        return agent;
    }

    void register(Connection connection, RoceConnectedId id) {
        connections.put(connection, id);
    }

    void register(Resolution resolution, RoceDatagramId id) {
        resolutions.put(resolution, id);
    }

    void register(Listener listener, RoceConnectionId id) {
        listeners.put(listener, id);
    }

    /// The application's id of `listener`, which must be open.
    ConnectionId idOf(Listener listener) {
        return Objects.requireNonNull(listeners.get(listener));
    }

    void forget(Connection connection) {
        connections.remove(connection);
    }

    void forget(Resolution resolution) {
        resolutions.remove(resolution);
    }

    void forget(Listener listener) {
        listeners.remove(listener);
    }

    /// A UD packet for queue pair 1 arrived.
    ///
    /// ROCE-UD-4: what is no management datagram of 256 bytes with the well-known key is dropped.
    void receive(Packet packet, long now) {
        if (packet.queueKey() != QueuePairOne.QUEUE_KEY) {
            discards.accept(Discard.BAD_QUEUE_KEY);
        } else if (packet.payloadLength() != QueuePairOne.MAD_BYTES) {
            discards.accept(Discard.BAD_MAD);
        } else {
            Gid source = new Gid(packet.sourceHigh(), packet.sourceLow());
            agent.receive(source, queuePairOne.datagram(packet), now);
        }
    }

    /// Sends the datagrams that wait; false if there were none.
    boolean transmit(PacketSink sink) {
        boolean worked = false;
        while (!outgoing.isEmpty() && sink.hasRoom()) {
            Outgoing next = outgoing.remove();
            queuePairOne.send(sink, next.path(), next.datagram());
            worked = true;
        }
        return worked;
    }

    /// Whether datagrams wait to be sent.
    boolean hasOutgoing() {
        return !outgoing.isEmpty();
    }

    long deadlineNanos() {
        return agent.deadlineNanos();
    }

    void onTimer(long now) {
        agent.onTimer(now);
    }

    @Override
    public void send(Gid destination, byte[] mad) {
        if (destination.isIpv4() == localGid.isIpv4()) {
            outgoing.add(new Outgoing(pathTo(destination), mad));
        }
    }

    @Override
    public boolean connectQueuePair(Connection connection, NegotiatedAttributes agreed) {
        RoceConnectedId id = connections.get(connection);
        RoceQueuePair queuePair = id == null ? null : id.roceQueuePair();
        if (id == null
                || queuePair == null
                || !(queuePair.machine() instanceof RcQueuePair machine)
                || machine.state() != QueuePairState.INIT) {
            return false;
        }
        QueuePairChange own = id.preferred();
        RcConnection attributes =
                RcConnection.builder(pathTo(agreed.remoteGid()))
                        .destinationQpn(agreed.remoteQpn())
                        .pathMtuBytes(agreed.pathMtu().bytes())
                        .sendPsn(agreed.sendPsn())
                        .receivePsn(agreed.receivePsn())
                        .minRnrTimerCode(MIN_RNR_TIMER_CODE)
                        .ackTimeoutCode(agreed.ackTimeoutCode())
                        .retryCount(agreed.retryCount())
                        .rnrRetryCount(agreed.rnrRetryCount())
                        .maxReadAtomic(agreed.maxReadAtomic())
                        .maxDestinationReadAtomic(agreed.maxDestinationReadAtomic())
                        .build();
        machine.modify(QueuePairChange.to(QueuePairState.INIT).access(access(own, agreed)));
        machine.connect(attributes.preferring(own));
        if (agreed.remoteBufferBytes() > 0) {
            congestion.declare(agreed.remoteGid(), agreed.remoteBufferBytes());
        }
        if (agreed.requestsAhead()) {
            machine.sendRequestsAhead();
        }
        if (!connection.isActive()) {
            queuePair.onFirstPacket(() -> agent.queuePairReceivedPacket(connection));
        }
        return true;
    }

    @Override
    public void handshakeTook(Connection connection, long nanos) {
        RoceConnectedId id = connections.get(connection);
        RoceQueuePair queuePair = id == null ? null : id.roceQueuePair();
        if (queuePair != null && queuePair.machine() instanceof RcQueuePair machine) {
            machine.handshakeTook(nanos);
        }
    }

    /// What Linux grants too (roce.md 5.6), unless the application says what.
    private static Access[] access(QueuePairChange own, NegotiatedAttributes agreed) {
        if (own.given().contains(Attribute.ACCESS)) {
            return own.access().toArray(Access[]::new);
        }
        return agreed.maxDestinationReadAtomic() > 0
                ? new Access[] {Access.REMOTE_WRITE, Access.REMOTE_READ, Access.REMOTE_ATOMIC}
                : new Access[] {Access.REMOTE_WRITE};
    }

    @Override
    public void failQueuePair(Connection connection) {
        RoceConnectionId id = connections.get(connection);
        RoceQueuePair queuePair = id == null ? null : id.roceQueuePair();
        if (queuePair != null) {
            queuePair.machine().fail();
        }
    }

    @Override
    public void event(CmEvent event) {
        Connection connection = event.connection();
        RoceConnectedId id =
                event.type() == ConnectionEvent.Type.CONNECT_REQUEST
                        ? acceptedBy(connection)
                        : connections.get(connection);
        if (id == null) {
            return;
        }
        id.deliver(event);
        if (event.type() == ConnectionEvent.Type.TIMEWAIT_EXIT) {
            connections.remove(connection);
        }
    }

    @Override
    public void event(ResolutionEvent event) {
        Resolution resolution = event.resolution();
        RoceDatagramId id =
                event.type() == ConnectionEvent.Type.CONNECT_REQUEST
                        ? requestedAt(resolution)
                        : resolutions.remove(resolution);
        if (id != null) {
            id.deliver(event);
        }
    }

    private @Nullable RoceConnectedId acceptedBy(Connection connection) {
        if (!(connection.listener().map(listeners::get).orElse(null)
                instanceof RoceConnectedId listener)) {
            return null;
        }
        RoceConnectedId id = listener.requested(connection);
        connections.put(connection, id);
        return id;
    }

    private @Nullable RoceDatagramId requestedAt(Resolution resolution) {
        return resolution.listener().map(listeners::get).orElse(null)
                        instanceof RoceDatagramId listener
                ? listener.requested(resolution)
                : null;
    }

    private Path pathTo(Gid destination) {
        return new Path(localGid, destination, Path.DESTINATION_PORT, 0);
    }
}
