package dev.outboard.fabric.roce.nic;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.ConnectionEvent;
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
import dev.outboard.fabric.roce.transport.Discard;
import dev.outboard.fabric.roce.transport.PacketSink;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Connects the connection manager to the queue pairs of a [NicMachine], to queue pair 1, and to
/// the ends that the application holds. Only the thread that drives the machine touches it.
public final class GeneralServices implements CmHost {
    /// roce.md 3.5: 0.64 ms; Linux's 0 would mean 655 ms.
    public static final int MIN_RNR_TIMER_CODE = 12;

    /// What librdmacm gives every queue pair of the UDP port space (roce.md 4).
    public static final int DATAGRAM_QUEUE_KEY = 0x0123_4567;

    private final Gid localGid;
    private final CongestionControl congestion;
    private final CmAgent agent;
    private final Consumer<Discard> discards;
    private final QueuePairOne queuePairOne = new QueuePairOne();
    private final Queue<Outgoing> outgoing = new ArrayDeque<>();
    private final Map<Connection, ConnectedEnd> connections = new HashMap<>();
    private final Map<Resolution, DatagramEnd> resolutions = new HashMap<>();
    private final Map<Listener, ConnectedEnd> listeners = new HashMap<>();
    private final Map<Listener, DatagramEnd> datagramListeners = new HashMap<>();

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

    public CmAgent agent() {
        return agent;
    }

    public void register(Connection connection, ConnectedEnd end) {
        connections.put(connection, end);
    }

    public void register(Resolution resolution, DatagramEnd end) {
        resolutions.put(resolution, end);
    }

    public void register(Listener listener, ConnectedEnd end) {
        listeners.put(listener, end);
    }

    public void register(Listener listener, DatagramEnd end) {
        datagramListeners.put(listener, end);
    }

    public void forget(Connection connection) {
        connections.remove(connection);
    }

    public void forget(Resolution resolution) {
        resolutions.remove(resolution);
    }

    public void forget(Listener listener) {
        listeners.remove(listener);
        datagramListeners.remove(listener);
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
        ConnectedEnd end = connections.get(connection);
        NicQueuePair queuePair = connectedBy(connection);
        if (end == null
                || queuePair == null
                || !(queuePair.machine() instanceof RcQueuePair machine)
                || machine.state() != QueuePairState.INIT) {
            return false;
        }
        QueuePairChange own = end.preferred();
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
        recognize(machine, agreed.remoteGid(), agreed.remoteBufferBytes(), agreed.requestsAhead());
        if (!connection.isActive()) {
            queuePair.onFirstPacket(() -> agent.queuePairReceivedPacket(connection));
        }
        return true;
    }

    /// What the device of `peer`, to which `machine` is connected, said about itself.
    ///
    /// @param bufferBytes its receive buffer, 0 if it did not say
    /// @param requestsAhead whether both sides take requests ahead of acknowledgements
    void recognize(RcQueuePair machine, Gid peer, int bufferBytes, boolean requestsAhead) {
        if (bufferBytes > 0) {
            congestion.declare(peer, bufferBytes);
        }
        if (requestsAhead) {
            machine.sendRequestsAhead();
        }
    }

    @Override
    public void handshakeTook(Connection connection, long nanos) {
        NicQueuePair queuePair = connectedBy(connection);
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
        NicQueuePair queuePair = connectedBy(connection);
        if (queuePair != null) {
            queuePair.machine().fail();
        }
    }

    @Override
    public void event(CmEvent event) {
        Connection connection = event.connection();
        ConnectedEnd end =
                event.type() == ConnectionEvent.Type.CONNECT_REQUEST
                        ? acceptedBy(connection)
                        : connections.get(connection);
        if (end == null) {
            return;
        }
        end.deliver(event);
        if (event.type() == ConnectionEvent.Type.TIMEWAIT_EXIT) {
            connections.remove(connection);
        }
    }

    @Override
    public void event(ResolutionEvent event) {
        Resolution resolution = event.resolution();
        DatagramEnd end =
                event.type() == ConnectionEvent.Type.CONNECT_REQUEST
                        ? requestedAt(resolution)
                        : resolutions.remove(resolution);
        if (end != null) {
            end.deliver(event);
        }
    }

    private @Nullable NicQueuePair connectedBy(Connection connection) {
        ConnectedEnd end = connections.get(connection);
        return end == null ? null : end.connecting();
    }

    private @Nullable ConnectedEnd acceptedBy(Connection connection) {
        ConnectedEnd listener = connection.listener().map(listeners::get).orElse(null);
        if (listener == null) {
            return null;
        }
        ConnectedEnd end = listener.requested(connection);
        connections.put(connection, end);
        return end;
    }

    private @Nullable DatagramEnd requestedAt(Resolution resolution) {
        DatagramEnd listener = resolution.listener().map(datagramListeners::get).orElse(null);
        return listener == null ? null : listener.requested(resolution);
    }

    private Path pathTo(Gid destination) {
        return new Path(localGid, destination, Path.DESTINATION_PORT, 0);
    }
}
