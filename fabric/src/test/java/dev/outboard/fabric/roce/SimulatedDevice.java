package dev.outboard.fabric.roce;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.memory.RegionTable;
import dev.outboard.fabric.roce.cm.CaGuid;
import dev.outboard.fabric.roce.cm.CmAgent;
import dev.outboard.fabric.roce.cm.CmConfiguration;
import dev.outboard.fabric.roce.cm.CmEvent;
import dev.outboard.fabric.roce.cm.CmTimers;
import dev.outboard.fabric.roce.cm.Connection;
import dev.outboard.fabric.roce.nic.ConnectedEnd;
import dev.outboard.fabric.roce.nic.NicLink;
import dev.outboard.fabric.roce.nic.NicMachine;
import dev.outboard.fabric.roce.nic.NicQueuePair;
import dev.outboard.fabric.roce.rc.CongestionControl;
import dev.outboard.fabric.roce.rc.RcQueuePair;
import dev.outboard.fabric.roce.transport.Discard;
import dev.outboard.fabric.roce.transport.PacketHandler;
import dev.outboard.fabric.roce.transport.PacketSink;
import dev.outboard.fabric.roce.transport.Port;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.roce.wire.PathMtu;
import dev.outboard.fabric.sim.network.DatagramReader;
import dev.outboard.fabric.sim.network.DatagramSink;
import dev.outboard.fabric.sim.network.SimulatedNetwork;
import dev.outboard.fabric.verbs.CompletionRing;
import dev.outboard.fabric.verbs.QueuePairCore;
import dev.outboard.fabric.verbs.QueueSizes;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/// A device in virtual time: the network card of the live one on a simulated network, without
/// socket, clock or thread.
public final class SimulatedDevice implements SimulatedNetwork.Node {
    public static final int DOMAIN = 7;

    private static final QueueSizes SIZES = new QueueSizes(16, 16, 1, 0);
    private static final int MAX_DATAGRAMS = 64;

    /// The application's end of a connection: a queue pair with what it completes into.
    public final class Endpoint implements ConnectedEnd {
        public final RcQueuePair queuePair;
        public final CompletionRing sendCompletions = new CompletionRing(SIZES.sends(), ring -> {});
        public final CompletionRing receiveCompletions =
                new CompletionRing(SIZES.receives(), ring -> {});
        private final NicQueuePair inMachine;
        private QueuePairChange preferred = QueuePairChange.to(QueuePairState.READY_TO_SEND);

        private Endpoint() {
            QueuePairCore core =
                    new QueuePairCore(
                            nic.freeNumber(),
                            DOMAIN,
                            regions,
                            sendCompletions,
                            receiveCompletions,
                            SIZES,
                            Optional.empty(),
                            false,
                            event -> {});
            queuePair =
                    new RcQueuePair(core, new Port(address, PathMtu.MTU_1024.bytes()), congestion);
            inMachine = nic.add(queuePair);
            nic.modify(inMachine, QueuePairChange.to(QueuePairState.INIT).access(Access.values()));
        }

        /// What the application asks of the queue pair beyond what the peers agree on.
        public void prefer(QueuePairChange own) {
            preferred = own;
        }

        public boolean post(SendRequest request) {
            boolean posted = queuePair.post(request);
            nic.ready(inMachine);
            isCommanded = true;
            return posted;
        }

        public boolean post(ReceiveRequest request) {
            return queuePair.post(request);
        }

        @Override
        public NicQueuePair connecting() {
            return inMachine;
        }

        @Override
        public QueuePairChange preferred() {
            return preferred;
        }

        @Override
        public ConnectedEnd requested(Connection request) {
            throw new AssertionError("no listener: " + request);
        }

        @Override
        public void deliver(CmEvent event) {
            onEvent.accept(event);
        }
    }

    /// Makes an endpoint for everybody who asks.
    private final class Host implements ConnectedEnd {
        @Override
        public @Nullable NicQueuePair connecting() {
            return null;
        }

        @Override
        public QueuePairChange preferred() {
            throw new AssertionError("a listener is not connected");
        }

        @Override
        public Endpoint requested(Connection request) {
            Endpoint endpoint = create();
            requested.put(request, endpoint);
            return endpoint;
        }

        @Override
        public void deliver(CmEvent event) {
            throw new AssertionError("unexpected: " + event);
        }
    }

    public final RegionTable regions;
    public final NicMachine nic;

    private final SimulatedNetwork<Gid> network;
    private final Gid address;
    private final CongestionControl congestion = new CongestionControl(false, 8 << 20);
    private final DatagramReader reader;
    private final DatagramSink sink = new DatagramSink(MAX_DATAGRAMS);
    private final Map<Connection, Endpoint> requested = new HashMap<>();
    private Consumer<CmEvent> onEvent = event -> {};
    private Runnable onTurn = () -> {};
    private ToIntFunction<Gid> pathMtuBytes = peer -> Integer.MAX_VALUE;
    private long applicationDeadlineNanos = SimulatedNetwork.NEVER;
    private int queuePairCount;
    private @Nullable CompletionRing wanted;
    private int flushes;
    private boolean hasMail;

    /// The application asked for something, which wants a turn.
    private boolean isCommanded;

    public SimulatedDevice(SimulatedNetwork<Gid> network, Gid address, SplittableRandom random) {
        this.network = network;
        this.address = address;
        reader = new DatagramReader(address, Path.DESTINATION_PORT);
        regions = new RegionTable(64, random);
        CmConfiguration configuration =
                CmConfiguration.of(
                                CaGuid.takingRequestsAhead(CaGuid.random(random, 0)),
                                address,
                                PathMtu.MTU_1024)
                        .withPacketLifetime(
                                dev.outboard.fabric.roce.device.RoceDevice.PACKET_LIFETIME_CODE)
                        .withMaximumAccepted(32768)
                        .withTimers(CmTimers.within(Duration.ofSeconds(30)));
        nic = new NicMachine(configuration, random.split(), congestion, new Link());
        network.attach(address, this);
    }

    public long nowNanos() {
        return network.nowNanos();
    }

    /// What the application does about events, and whenever the device had a turn.
    public void application(Consumer<CmEvent> newOnEvent, Runnable newOnTurn) {
        onEvent = newOnEvent;
        onTurn = newOnTurn;
    }

    /// The application wants a turn at that time, once.
    public void wakeAt(long nanos) {
        applicationDeadlineNanos = nanos;
    }

    /// The application polls `ring` from now on, and posts as soon as it gets a completion.
    public void want(CompletionRing ring) {
        wanted = ring;
    }

    /// How often packets left together.
    public int flushes() {
        return flushes;
    }

    /// Datagrams to `peer` of more than `bytes` do not leave, from now on.
    public void limitPath(Gid peer, int bytes) {
        pathMtuBytes = to -> to.equals(peer) ? bytes : Integer.MAX_VALUE;
    }

    /// How many packets were dropped for that reason.
    public long discarded(Discard reason) {
        return nic.discards().get(reason);
    }

    /// A new queue pair, in state INIT.
    public Endpoint create() {
        queuePairCount++;
        return new Endpoint();
    }

    /// Forgets a queue pair, as closing does.
    public void destroy(Endpoint endpoint) {
        queuePairCount--;
        nic.remove(endpoint.inMachine);
    }

    int queuePairCount() {
        return queuePairCount;
    }

    public void listen(int port) {
        nic.services().register(agent().listen(port, 16), new Host());
    }

    public Connection connect(Gid peer, int port, Endpoint endpoint) {
        Connection connection =
                agent().connect(
                                peer,
                                port,
                                endpoint.queuePair.number(),
                                PathMtu.MTU_1024,
                                ConnectionParameters.defaults(),
                                nowNanos());
        nic.services().register(connection, endpoint);
        isCommanded = true;
        return connection;
    }

    /// The endpoint for a connection request that a listener received.
    public Endpoint requested(Connection request) {
        return Objects.requireNonNull(requested.remove(request));
    }

    public void accept(Connection request, Endpoint endpoint) {
        agent().accept(
                        request,
                        endpoint.queuePair.number(),
                        ConnectionParameters.defaults(),
                        nowNanos());
        isCommanded = true;
    }

    public void disconnect(Connection connection) {
        agent().disconnect(connection, nowNanos());
        isCommanded = true;
    }

    int connectionCount() {
        return agent().connectionCount();
    }

    private CmAgent agent() {
        return nic.services().agent();
    }

    @Override
    public long deadlineNanos() {
        return isCommanded || nic.hasMore()
                ? 0
                : Math.min(nic.deadlineNanos(), applicationDeadlineNanos);
    }

    @Override
    public void turn(long nowNanos) {
        do {
            nic.turn(nowNanos, true, wanted);
            if (nowNanos >= applicationDeadlineNanos) {
                applicationDeadlineNanos = SimulatedNetwork.NEVER;
            }
            onTurn.run();
            isCommanded = false;
            nic.finishTurn(nowNanos);
        } while (hasMail);
        // What failed just now has completions.
        onTurn.run();
    }

    /// The network as the card sees it.
    private final class Link implements NicLink {
        @Override
        public int receive(int messages, long nowNanos, PacketHandler handler) {
            hasMail = true;
            for (int i = 0; i < messages; i++) {
                var mail = network.poll(address);
                if (mail == null) {
                    hasMail = false;
                    return i;
                }
                Packet packet = reader.read(mail.from(), mail.bytes());
                if (packet != null) {
                    handler.packet(packet, nowNanos);
                }
            }
            return messages;
        }

        @Override
        public PacketSink sink() {
            return sink;
        }

        @Override
        public void flush(long nowNanos) {
            flushes += sink.count() > 0 ? 1 : 0;
            for (int i = 0; i < sink.count(); i++) {
                Gid peer = sink.path(i).destination();
                if (sink.length(i) > pathMtuBytes.applyAsInt(peer)) {
                    nic.tooLong(sink.path(i));
                } else {
                    network.send(address, peer, sink.bytes(i));
                }
            }
            sink.clear();
        }

        /// It keeps nothing back.
        @Override
        public long deadlineNanos() {
            return Long.MAX_VALUE;
        }
    }
}
