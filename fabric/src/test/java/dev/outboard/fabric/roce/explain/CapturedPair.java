package dev.outboard.fabric.roce.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.ConnectionChannel;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.Finding;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.memory.Payload;
import dev.outboard.fabric.pcapng.LinkType;
import dev.outboard.fabric.pcapng.PcapngReader.CapturedPacket;
import dev.outboard.fabric.roce.wire.Bth;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Icrc;
import dev.outboard.fabric.roce.wire.IpHeaders;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.sim.SimNetwork;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Two devices on a simulated network, on which things happen to packets, and a capture made at one
/// of them: it has all that this one sends, and of the other what arrives.
final class CapturedPair implements AutoCloseable {
    static final String CLIENT = "10.0.0.1";
    static final String SERVER = "10.0.0.2";
    static final int PORT = 7174;
    static final int MEMORY = 1 << 18;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final AtomicInteger NETWORKS = new AtomicInteger();
    private static final int SOURCE_PORT = 0xC123;

    /// What happens to a packet.
    enum Fate {
        ARRIVES,
        IS_LOST,
        /// A bit flips, and so the receiver drops it.
        IS_DAMAGED,
        /// It arrives, and nobody heeds it.
        IS_UNHEARD,
        /// It arrives, marked for congestion.
        IS_MARKED
    }

    /// Decides what happens to packets, in the order in which they are sent.
    interface Script {
        Fate fate(Packet packet, boolean isFromClient);
    }

    /// One side.
    static final class End {
        final Device device;
        final ConnectionChannel channel;
        final CompletionQueue completions;
        final ProtectionDomain domain;
        final MemoryRegion region;
        final List<ConnectionEvent> events = new ArrayList<>();
        @Nullable ConnectionId id;
        @Nullable QueuePair queuePair;

        End(String uri, Access... access) {
            device = Fabric.open(uri);
            channel = device.createConnectionChannel();
            completions = device.createCompletionQueue(256);
            domain = device.allocateProtectionDomain();
            MemorySegment memory = Arena.ofAuto().allocate(MEMORY, 64);
            region = domain.register(memory, access);
        }

        QueuePair join(ConnectionId joined) {
            id = joined;
            queuePair = joined.createQueuePair(domain, QueuePairAttributes.of(completions, 64, 64));
            return queuePair;
        }

        QueuePair pair() {
            assertThat(queuePair).isNotNull();
            return queuePair;
        }

        /// A queue pair that is connected by hand.
        QueuePair spare() {
            return domain.createQueuePair(QueuePairAttributes.of(completions, 16, 16));
        }

        List<CompletionStatus> statuses() {
            List<CompletionStatus> statuses = new ArrayList<>();
            Completion completion = new Completion();
            while (completions.poll(completion)) {
                statuses.add(completion.status());
            }
            return statuses;
        }

        void receive(int length) {
            assertThat(pair().post(new ReceiveRequest().buffer(region, 0, length))).isTrue();
        }

        void send(int length) {
            assertThat(pair().post(new SendRequest().payload(region, 0, length).send())).isTrue();
        }

        boolean has(ConnectionEvent.Type type) {
            return events.stream().anyMatch(event -> event.type() == type);
        }
    }

    private final SimNetwork network;
    private final String name;
    private final boolean isAtClient;
    private final long latencyNanos;
    private final List<CapturedPacket> captured = new ArrayList<>();
    private Script script = (_, _) -> Fate.ARRIVES;
    private boolean isCapturing = true;

    final End client;
    End server;
    Consumer<ConnectionId> onIdentified = _ -> {};
    Consumer<ConnectionId> onRequest = this::accept;
    ConnectionParameters parameters = new ConnectionParameters(8, 8, 7, 6, new byte[0]);

    CapturedPair(boolean isAtClient, long latencyNanos, Access... access) {
        this.isAtClient = isAtClient;
        this.latencyNanos = latencyNanos;
        name = "sim://explain" + NETWORKS.incrementAndGet() + "/";
        String options = "?clock=stepped&mtu=1024&latency=" + latencyNanos + "ns";
        client = new End(name + CLIENT + options, Access.LOCAL_WRITE);
        server = new End(name + SERVER + "?mtu=1024", access);
        network = SimNetwork.of(client.device);
        network.filter(this::sent);
    }

    static CapturedPair at(String place) {
        return new CapturedPair(
                place.equals("client"),
                10_000,
                Access.LOCAL_WRITE,
                Access.REMOTE_WRITE,
                Access.REMOTE_READ,
                Access.REMOTE_ATOMIC);
    }

    SimNetwork network() {
        return network;
    }

    void script(Script newScript) {
        script = newScript;
    }

    void capture(boolean isOn) {
        isCapturing = isOn;
    }

    /// The server ends without a word, and another one starts.
    void restartServer() {
        Script before = script;
        script = (_, isFromClient) -> isFromClient ? Fate.ARRIVES : Fate.IS_LOST;
        isCapturing = false;
        server.device.close();
        isCapturing = true;
        script = before;
        server = new End(name + SERVER + "?mtu=1024", Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        // With the same seed it would number its queue pairs as the one before.
        server.spare();
        server.spare();
    }

    // The applications.

    void listen() {
        server.channel.createId().listen(PORT, 4);
    }

    void request() {
        ConnectionId id = client.channel.createId();
        id.resolveAddress(new InetSocketAddress(server.device.address(), PORT), PATIENCE);
    }

    void accept(ConnectionId id) {
        server.join(id);
        id.accept(parameters);
    }

    CapturedPair connected() {
        listen();
        request();
        run(100);
        assertThat(client.has(ConnectionEvent.Type.ESTABLISHED)).isTrue();
        return this;
    }

    SendRequest write(long offset, int length) {
        return new SendRequest()
                .payload(client.region, 0, length)
                .write(server.region.address() + offset, server.region.remoteKey());
    }

    SendRequest read(int length) {
        return new SendRequest()
                .payload(client.region, 0, length)
                .read(server.region.address(), server.region.remoteKey());
    }

    SendRequest add() {
        return new SendRequest()
                .payload(client.region, 0, Long.BYTES)
                .fetchAndAdd(server.region.address(), server.region.remoteKey(), 1);
    }

    void post(SendRequest request) {
        assertThat(client.pair().post(request)).isTrue();
    }

    /// Lets time pass, in ms.
    void run(long millis) {
        long end = network.nowNanos() + TimeUnit.MILLISECONDS.toNanos(millis);
        do {
            while (handleEvent()) {
                // The answer to one may be the next.
            }
        } while (network.nextNanos() <= end && network.step());
        network.runUntil(end);
    }

    /// Whether there was one.
    private boolean handleEvent() {
        Optional<ConnectionEvent> ofClient = client.channel.next(Duration.ZERO);
        Optional<ConnectionEvent> ofServer = server.channel.next(Duration.ZERO);
        ofClient.ifPresent(this::handleAtClient);
        ofServer.ifPresent(this::handleAtServer);
        return ofClient.isPresent() || ofServer.isPresent();
    }

    private void handleAtClient(ConnectionEvent event) {
        client.events.add(event);
        ConnectionId id = event.id();
        switch (event.type()) {
            case ADDRESS_RESOLVED -> id.resolveRoute(PATIENCE);
            case ROUTE_RESOLVED -> {
                client.join(id);
                onIdentified.accept(id);
                id.connect(parameters);
            }
            default -> {}
        }
    }

    private void handleAtServer(ConnectionEvent event) {
        server.events.add(event);
        if (event.type() == ConnectionEvent.Type.CONNECT_REQUEST) {
            onRequest.accept(event.id());
        }
    }

    // The capture.

    private boolean sent(SimNetwork.Frame frame) {
        boolean isFromClient = frame.from().equals(client.device.address());
        Packet packet = new Packet();
        MemorySegment bytes = Arena.ofAuto().allocate(frame.bytes().length, Long.BYTES);
        bytes.copyFrom(MemorySegment.ofArray(frame.bytes()));
        assertThat(packet.wrap(bytes, 0, frame.bytes().length)).isNull();
        Fate fate = script.fate(packet, isFromClient);
        boolean isHere = isFromClient == isAtClient;
        if (isCapturing && (isHere || fate != Fate.IS_LOST)) {
            long nanos = network.nowNanos() + (isHere ? 0 : latencyNanos);
            captured.add(captured(nanos, frame.from(), frame.to(), bytes, isHere ? null : fate));
        }
        return fate == Fate.ARRIVES || fate == Fate.IS_MARKED;
    }

    static CapturedPacket captured(
            long nanos,
            InetAddress from,
            InetAddress to,
            MemorySegment bytes,
            @Nullable Fate fate) {
        int trafficClass = fate == Fate.IS_MARKED ? 3 : 2;
        Path path = new Path(Gid.of(from), Gid.of(to), SOURCE_PORT, trafficClass);
        int length = (int) bytes.byteSize();
        Icrc icrc = new Icrc();
        icrc.begin(path, 0, length, bytes, 0, Bth.LENGTH);
        icrc.update(Payload.of(bytes), Bth.LENGTH, length - Bth.LENGTH - Icrc.LENGTH);
        Icrc.put(bytes, length - Icrc.LENGTH, icrc.finish(0));
        byte[] packet = new byte[IpHeaders.length(path) + length];
        IpHeaders.wrap(MemorySegment.ofArray(packet), 0, path, 0, bytes, 0, length);
        if (fate == Fate.IS_DAMAGED) {
            packet[packet.length - 6] ^= 0x10;
        }
        return new CapturedPacket(0, LinkType.RAW_IP.number(), "", nanos, packet.length, packet);
    }

    /// What was captured, in the order of time.
    List<CapturedPacket> packets() {
        List<CapturedPacket> packets = new ArrayList<>(captured);
        packets.sort(Comparator.comparingLong(CapturedPacket::epochNanos));
        return packets;
    }

    List<Finding> findings() {
        return explain(packets());
    }

    static List<Finding> explain(List<CapturedPacket> packets) {
        CaptureExplainer explainer = new CaptureExplainer();
        packets.forEach(explainer::packet);
        return explainer.findings();
    }

    @Override
    public void close() {
        client.device.close();
        server.device.close();
    }
}
