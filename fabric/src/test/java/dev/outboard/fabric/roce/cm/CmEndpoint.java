package dev.outboard.fabric.roce.cm;

import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.PathMtu;
import dev.outboard.fabric.roce.wire.cm.CmDatagram;
import dev.outboard.fabric.roce.wire.cm.CmMessage;
import dev.outboard.fabric.roce.wire.cm.DatagramFlaw;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A device on a [CmNetwork]: an agent, its host, and a note of all that the agent did.
final class CmEndpoint implements CmHost {
    static final ConnectionParameters DEFAULTS = ConnectionParameters.defaults();

    private final CmNetwork network;
    private final CmConfiguration configuration;
    private final CmAgent agent;
    private final List<CmEvent> events = new ArrayList<>();
    private final List<String> journal = new ArrayList<>();
    private final Map<Connection, NegotiatedAttributes> connected = new HashMap<>();
    private final Map<Connection, Long> handshakes = new HashMap<>();
    private final Set<Connection> failed = new HashSet<>();
    private final List<ResolutionEvent> resolutionEvents = new ArrayList<>();
    private Consumer<CmEvent> reaction = _ -> {};
    private Consumer<ResolutionEvent> resolutionReaction = _ -> {};
    private BooleanSupplier refusal = () -> false;
    private int nextQpn = 0x100;

    CmEndpoint(CmNetwork network, CmConfiguration configuration, long seed) {
        this.network = network;
        this.configuration = configuration;
        this.agent = new CmAgent(configuration, this, new SplittableRandom(seed));
        network.join(this);
    }

    CmEndpoint(CmNetwork network, int ipv4, long seed) {
        this(network, configuration(ipv4, seed), seed);
    }

    /// What a device with that address is configured with by default.
    static CmConfiguration configuration(int ipv4, long seed) {
        return configuration(Gid.ofIpv4(ipv4), seed);
    }

    static CmConfiguration configuration(Gid gid, long seed) {
        long caGuid = CaGuid.takingRequestsAhead(CaGuid.random(new SplittableRandom(~seed), 0));
        return CmConfiguration.of(caGuid, gid, PathMtu.MTU_4096);
    }

    @Override
    public void send(Gid destination, byte[] mad) {
        journal.add("send " + CmDatagram.parse(mad).message().attribute());
        network.send(gid(), destination, mad);
    }

    @Override
    public boolean connectQueuePair(Connection connection, NegotiatedAttributes attributes) {
        journal.add("connect queue pair");
        if (refusal.getAsBoolean()) {
            return false;
        }
        if (connected.put(connection, attributes) != null) {
            throw new AssertionError(connection + " connected twice");
        }
        return true;
    }

    @Override
    public void handshakeTook(Connection connection, long nanos) {
        handshakes.put(connection, nanos);
    }

    /// How long the handshake of `connection` took for a round trip; null if that was not measured.
    @Nullable Long handshakeNanos(Connection connection) {
        return handshakes.get(connection);
    }

    @Override
    public void failQueuePair(Connection connection) {
        journal.add("fail queue pair");
        failed.add(connection);
    }

    @Override
    public void event(CmEvent event) {
        journal.add("event " + event.type());
        events.add(event);
        reaction.accept(event);
    }

    @Override
    public void event(ResolutionEvent event) {
        journal.add("resolution event " + event.type());
        resolutionEvents.add(event);
        resolutionReaction.accept(event);
    }

    /// What the application does about events of datagram services.
    void reactToResolutions(Consumer<ResolutionEvent> newReaction) {
        resolutionReaction = newReaction;
    }

    /// What the application does about events.
    void react(Consumer<CmEvent> newReaction) {
        reaction = newReaction;
    }

    /// Accepts every request at once, with a new queue pair.
    void acceptEverything() {
        react(event -> {
            if (event.type() == ConnectionEvent.Type.CONNECT_REQUEST) {
                accept(event.connection());
            }
        });
    }

    /// Whether the next queue pair shall fail to connect.
    void refuseQueuePairs(BooleanSupplier refuse) {
        refusal = refuse;
    }

    Resolution resolve(CmEndpoint peer, int port, byte... privateData) {
        return agent.resolver().resolve(peer.gid(), port, privateData, network.nowNanos());
    }

    void accept(Resolution resolution, int queueKey, byte... privateData) {
        agent.resolver().accept(resolution, newQpn(), queueKey, privateData, network.nowNanos());
    }

    void reject(Resolution resolution, byte... privateData) {
        agent.resolver().reject(resolution, privateData, network.nowNanos());
    }

    void destroy(Resolution resolution) {
        agent.resolver().destroy(resolution, network.nowNanos());
    }

    Connection connect(CmEndpoint peer, int port) {
        return connect(peer, port, DEFAULTS);
    }

    Connection connect(CmEndpoint peer, int port, ConnectionParameters parameters) {
        return agent.connect(
                peer.gid(),
                port,
                newQpn(),
                configuration.pathMtu(),
                parameters,
                network.nowNanos());
    }

    boolean accept(Connection connection) {
        return accept(connection, DEFAULTS);
    }

    boolean accept(Connection connection, ConnectionParameters parameters) {
        return agent.accept(connection, newQpn(), parameters, network.nowNanos());
    }

    void disconnect(Connection connection) {
        agent.disconnect(connection, network.nowNanos());
    }

    void destroy(Connection connection) {
        agent.destroy(connection, network.nowNanos());
    }

    /// A datagram from `source`, here and now.
    void receive(Gid source, RawMad mad) {
        agent.receive(source, mad.bytes(), network.nowNanos());
    }

    void receive(Gid source, CmMessage message) {
        receive(source, RawMad.of(message));
    }

    int newQpn() {
        return nextQpn++;
    }

    CmAgent agent() {
        return agent;
    }

    CmConfiguration configuration() {
        return configuration;
    }

    Gid gid() {
        return configuration.localGid();
    }

    List<CmEvent> events() {
        return events;
    }

    List<ResolutionEvent> resolutionEvents() {
        return resolutionEvents;
    }

    List<ConnectionEvent.Type> eventTypes() {
        return events.stream().map(CmEvent::type).toList();
    }

    List<ConnectionEvent.Type> eventTypes(Connection connection) {
        return events.stream()
                .filter(event -> event.connection() == connection)
                .map(CmEvent::type)
                .toList();
    }

    CmEvent lastEvent() {
        return events.getLast();
    }

    /// The connection of the last CONNECT_REQUEST.
    Connection lastRequest() {
        return events.stream()
                .filter(event -> event.type() == ConnectionEvent.Type.CONNECT_REQUEST)
                .toList()
                .getLast()
                .connection();
    }

    /// Everything the agent had its host do, in order.
    List<String> journal() {
        return journal;
    }

    /// Every connection whose queue pair was connected.
    Set<Connection> connected() {
        return connected.keySet();
    }

    boolean isConnected(Connection connection) {
        return connected.containsKey(connection);
    }

    NegotiatedAttributes attributes(Connection connection) {
        NegotiatedAttributes attributes = connected.get(connection);
        if (attributes == null) {
            throw new AssertionError("queue pair never connected: " + connection);
        }
        return attributes;
    }

    boolean isFailed(Connection connection) {
        return failed.contains(connection);
    }

    long discarded(DatagramFlaw reason) {
        return agent.counters().discarded(reason);
    }

    long discarded(CmDiscard reason) {
        return agent.counters().discarded(reason);
    }
}
