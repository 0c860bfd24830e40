package dev.outboard.fabric.roce;

import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.memory.RegionTable;
import dev.outboard.fabric.roce.cm.CaGuid;
import dev.outboard.fabric.roce.cm.CmAgent;
import dev.outboard.fabric.roce.cm.CmConfiguration;
import dev.outboard.fabric.roce.cm.CmEvent;
import dev.outboard.fabric.roce.cm.CmHost;
import dev.outboard.fabric.roce.cm.CmTimers;
import dev.outboard.fabric.roce.cm.Connection;
import dev.outboard.fabric.roce.cm.NegotiatedAttributes;
import dev.outboard.fabric.roce.cm.ResolutionEvent;
import dev.outboard.fabric.roce.rc.DatagramReader;
import dev.outboard.fabric.roce.rc.DatagramSink;
import dev.outboard.fabric.roce.rc.QueuePairs;
import dev.outboard.fabric.roce.rc.RcConnection;
import dev.outboard.fabric.roce.rc.RcQueuePair;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.roce.wire.PathMtu;
import dev.outboard.fabric.verbs.CompletionRing;
import dev.outboard.fabric.verbs.QueueSizes;
import dev.outboard.testkit.SimulatedNetwork;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/// A device in virtual time: connection manager, queue pairs, and whole datagrams, put together as
/// the engine does it, without socket, clock or thread.
final class SimulatedDevice implements SimulatedNetwork.Node, CmHost {
    static final int DOMAIN = 7;

    private static final QueueSizes SIZES = new QueueSizes(16, 16, 1, 0);
    private static final int MAX_DATAGRAMS = 64;
    private static final int MIN_RNR_TIMER_CODE = 12;
    private static final int WINDOW_PACKETS = 32;

    /// A queue pair with what it completes into.
    static final class Endpoint {
        final RcQueuePair queuePair;
        final CompletionRing sendCompletions = new CompletionRing(SIZES.sends(), ring -> {});
        final CompletionRing receiveCompletions = new CompletionRing(SIZES.receives(), ring -> {});

        /// Given when the agent connects it.
        Connection connection;

        private Endpoint(int number, RegionTable regions) {
            queuePair =
                    QueuePairs.initialized(
                            number, DOMAIN, regions, sendCompletions, receiveCompletions, SIZES);
        }
    }

    private record Mad(Gid destination, byte[] bytes) {}

    final CmAgent agent;
    final RegionTable regions;

    private final SimulatedNetwork<Gid> network;
    private final Gid address;
    private final SplittableRandom random;
    private final DatagramReader reader;
    private final DatagramSink sink = new DatagramSink(MAX_DATAGRAMS);
    private final QueuePairOne queuePairOne = new QueuePairOne();
    private final Queue<Mad> outgoing = new ArrayDeque<>();
    private final Map<Integer, Endpoint> endpoints = new LinkedHashMap<>();
    private final Map<Gid, Path> paths = new HashMap<>();
    private Consumer<CmEvent> onEvent = event -> {};
    private Runnable onTurn = () -> {};
    private long applicationDeadlineNanos = SimulatedNetwork.NEVER;
    private boolean hasMore;

    SimulatedDevice(SimulatedNetwork<Gid> network, Gid address, SplittableRandom random) {
        this.network = network;
        this.address = address;
        this.random = random;
        reader = new DatagramReader(address);
        regions = new RegionTable(64, random);
        CmConfiguration configuration =
                CmConfiguration.of(
                                CaGuid.takingRequestsAhead(CaGuid.random(random, 0)),
                                address,
                                PathMtu.MTU_1024)
                        .withPacketLifetime(RoceDevice.PACKET_LIFETIME_CODE)
                        .withTimers(CmTimers.within(Duration.ofSeconds(30)));
        agent = new CmAgent(configuration, this, random.split());
        network.attach(address, this);
    }

    Gid address() {
        return address;
    }

    long nowNanos() {
        return network.nowNanos();
    }

    /// What the application does about events, and whenever the device had a turn.
    void application(Consumer<CmEvent> newOnEvent, Runnable newOnTurn) {
        onEvent = newOnEvent;
        onTurn = newOnTurn;
    }

    /// The application wants a turn at that time, once.
    void wakeAt(long nanos) {
        applicationDeadlineNanos = nanos;
    }

    /// A new queue pair, in state INIT.
    Endpoint create() {
        int number = random.nextInt(2, 0xFFFFFE);
        while (endpoints.containsKey(number)) {
            number = random.nextInt(2, 0xFFFFFE);
        }
        Endpoint endpoint = new Endpoint(number, regions);
        endpoints.put(number, endpoint);
        return endpoint;
    }

    /// Forgets a queue pair, as closing does.
    void destroy(Endpoint endpoint) {
        endpoints.remove(endpoint.queuePair.number());
    }

    int queuePairCount() {
        return endpoints.size();
    }

    Connection connect(Gid peer, int port, Endpoint endpoint) {
        return agent.connect(
                peer,
                port,
                endpoint.queuePair.number(),
                PathMtu.MTU_1024,
                ConnectionParameters.defaults(),
                nowNanos());
    }

    @Override
    public void send(Gid destination, byte[] mad) {
        outgoing.add(new Mad(destination, mad));
    }

    @Override
    public boolean connectQueuePair(Connection connection, NegotiatedAttributes agreed) {
        Endpoint endpoint = endpoints.get(agreed.localQpn());
        if (endpoint == null) {
            return false;
        }
        endpoint.connection = connection;
        endpoint.queuePair.connect(
                RcConnection.builder(pathTo(agreed.remoteGid()))
                        .destinationQpn(agreed.remoteQpn())
                        .pathMtuBytes(agreed.pathMtu().bytes())
                        .sendPsn(agreed.sendPsn())
                        .receivePsn(agreed.receivePsn())
                        .minRnrTimerCode(MIN_RNR_TIMER_CODE)
                        .ackTimeoutCode(agreed.ackTimeoutCode())
                        .retryCount(agreed.retryCount())
                        .rnrRetryCount(agreed.rnrRetryCount())
                        .maxWindowPackets(WINDOW_PACKETS)
                        .maxReadAtomic(agreed.maxReadAtomic())
                        .maxDestinationReadAtomic(agreed.maxDestinationReadAtomic())
                        .build());
        return true;
    }

    @Override
    public void handshakeTook(Connection connection, long nanos) {
        Endpoint endpoint = endpoints.get(connection.localQpn());
        if (endpoint != null) {
            endpoint.queuePair.handshakeTook(nanos);
        }
    }

    @Override
    public void failQueuePair(Connection connection) {
        Endpoint endpoint = endpoints.get(connection.localQpn());
        if (endpoint != null) {
            endpoint.queuePair.fail();
        }
    }

    @Override
    public void event(ResolutionEvent event) {
        throw new AssertionError("no datagram service here: " + event);
    }

    @Override
    public void event(CmEvent event) {
        onEvent.accept(event);
    }

    @Override
    public long deadlineNanos() {
        long deadline = hasMore || !outgoing.isEmpty() ? 0 : agent.deadlineNanos();
        deadline = Math.min(deadline, applicationDeadlineNanos);
        for (Endpoint endpoint : endpoints.values()) {
            deadline = Math.min(deadline, endpoint.queuePair.deadlineNanos());
        }
        return deadline;
    }

    @Override
    public void turn(long nowNanos) {
        for (var mail = network.poll(address); mail != null; mail = network.poll(address)) {
            Packet packet = reader.read(mail.from(), mail.bytes());
            if (packet != null) {
                receive(packet, mail.from(), nowNanos);
            }
        }
        agent.onTimer(nowNanos);
        for (Endpoint endpoint : endpoints.values()) {
            if (nowNanos >= endpoint.queuePair.deadlineNanos()) {
                endpoint.queuePair.onTimer(nowNanos);
            }
        }
        if (nowNanos >= applicationDeadlineNanos) {
            applicationDeadlineNanos = SimulatedNetwork.NEVER;
        }
        onTurn.run();
        transmit(nowNanos);
        // What failed just now has completions.
        onTurn.run();
    }

    private void receive(Packet packet, Gid source, long nowNanos) {
        if (packet.opcode().transport() == Opcode.Transport.UD) {
            if (packet.destinationQpn() == QueuePairOne.NUMBER
                    && packet.queueKey() == QueuePairOne.QUEUE_KEY
                    && packet.payloadLength() == QueuePairOne.MAD_BYTES) {
                agent.receive(source, queuePairOne.datagram(packet), nowNanos);
            }
            return;
        }
        Endpoint endpoint = endpoints.get(packet.destinationQpn());
        if (endpoint != null && endpoint.connection != null) {
            if (endpoint.connection.remoteGid().equals(source)) {
                endpoint.queuePair.receive(packet, nowNanos);
                agent.queuePairReceivedPacket(endpoint.connection);
            }
        }
    }

    private void transmit(long nowNanos) {
        hasMore = false;
        for (Endpoint endpoint : endpoints.values()) {
            hasMore |= endpoint.queuePair.transmit(sink, nowNanos);
            flush();
        }
        while (!outgoing.isEmpty()) {
            Mad mad = outgoing.remove();
            queuePairOne.send(sink, pathTo(mad.destination()), mad.bytes());
            flush();
        }
    }

    private void flush() {
        for (int i = 0; i < sink.count(); i++) {
            network.send(address, sink.path(i).destination(), sink.bytes(i));
        }
        sink.clear();
    }

    private Path pathTo(Gid destination) {
        return paths.computeIfAbsent(
                destination, to -> new Path(address, to, DatagramReader.UDP_PORT, 0));
    }
}
