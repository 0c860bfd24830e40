package dev.outboard.console.verbs;

import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.ProtectionDomain;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// What all tools in the manner of perftest 4.5 have in common: the two sides agree over a control
/// connection, measure, and compare notes. How often they wait for each other was read off the wire
/// and differs from tool to tool.
abstract class PerftestCommand extends Tool {
    private static final int MOST_ITERATIONS = 100_000_000;
    private static final int MOST_BYTES = Integer.MAX_VALUE;

    /// READs and atomics outstanding at most, as Linux's software RoCE has it.
    private static final int READ_DEPTH = 128;

    private static final int PSN_BITS = 24;
    private static final int BACKLOG = 2;

    @Parameters(
            arity = "0..1",
            paramLabel = "HOST",
            description = "Connect to the server at HOST; without it, be the server.")
    private @Nullable String host;

    @Option(
            names = {"-p", "--port"},
            paramLabel = "PORT",
            defaultValue = "18515",
            description = "The TCP or RDMA port, default 18515; a server takes a free one for 0.")
    private int port;

    @Option(
            names = {"-s", "--size"},
            paramLabel = "BYTES",
            description =
                    "Bytes of a message, default 65536 for bandwidth and 2 for latency; 8 for atomics.")
    private @Nullable Integer size;

    @Option(
            names = {"-n", "--iters"},
            paramLabel = "N",
            defaultValue = "1000",
            description = "Messages, default 1000. Both sides need the same -s and -n.")
    private int iterations;

    @Option(
            names = {"-m", "--mtu"},
            paramLabel = "BYTES",
            defaultValue = "4096",
            description = "Path MTU at most: 256 to 4096. Default: what both sides can do.")
    private int mtu;

    @Option(
            names = {"-t", "--tx-depth"},
            paramLabel = "N",
            defaultValue = "128",
            description = "Requests outstanding at most, default 128.")
    private int sendDepth;

    @Option(
            names = {"-r", "--rx-depth"},
            paramLabel = "N",
            defaultValue = "512",
            description = "Receives posted at a time, default 512.")
    private int receiveDepth;

    @Option(
            names = {"-e", "--events"},
            description = "Sleep until something completes, instead of polling.")
    private boolean events;

    @Option(
            names = {"-R", "--rdma_cm"},
            description = "Connect with the RDMA connection manager, without TCP.")
    private boolean connectionManager;

    @Mixin private ToolOptions options;

    @Option(
            names = {"-F", "--CPU-freq"},
            description = "Accepted and ignored, as -x, -d and -i: the local address says it all.")
    void ignoreFrequency(boolean ignored) {}

    @Option(
            names = {"-x", "--gid-index", "-d", "--ib-dev", "-i", "--ib-port"},
            hidden = true,
            description = "Accepted and ignored.")
    void ignoreDevice(String ignored) {}

    /// Bytes of a message unless the user says otherwise.
    abstract int defaultSize();

    /// How often the sides wait for each other before they measure, the exchange of keys included.
    abstract int exchangesBefore();

    /// What is measured.
    abstract PerftestOperation operation();

    /// Measures, compares notes and prints them.
    abstract void measure(PerftestControl control, PerftestEnd end, PerftestPeer own)
            throws IOException;

    @Override
    final ToolOptions options() {
        return options;
    }

    @Override
    final Optional<String> server() {
        return Optional.ofNullable(host);
    }

    final boolean isClient() {
        return host != null;
    }

    final int iterations() {
        return iterations;
    }

    @Override
    final void run(Device device) throws IOException {
        boolean atomic = operation().isAtomic();
        require(
                "-s",
                bytes(),
                atomic ? AtomicOption.BYTES : 1,
                atomic ? AtomicOption.BYTES : MOST_BYTES);
        require("-n", iterations, 1, MOST_ITERATIONS);
        require("-t", sendDepth, 1, device.limits().maxWorkRequests());
        require("-r", receiveDepth, 1, device.limits().maxWorkRequests());
        if (connectionManager) {
            runConnected(device);
        } else {
            runOutOfBand(device);
        }
    }

    private int bytes() {
        return size == null ? defaultSize() : size;
    }

    private PerftestEnd.Settings settings() {
        return new PerftestEnd.Settings(bytes(), sendDepth, receiveDepth, events, limit());
    }

    private int ownMtu(Device device) {
        return Math.min(mtu, device.limits().pathMtuBytes());
    }

    private void runOutOfBand(Device device) throws IOException {
        try (PerftestControl control =
                new PerftestTcpControl(openSocket(device, port), isClient())) {
            int agreed = control.agreeOnMtu(ownMtu(device));
            PerftestEnd end = new PerftestEnd(device, settings());
            end.createPair(ProtectionDomain::createQueuePair);
            OutOfBand.initialize(end.pair());
            end.postReceives();
            PerftestPeer own = describe(device, end);
            PerftestPeer peer = control.exchange(own);
            OutOfBand.connect(end.pair(), own.psn(), peer.pairAddress(), agreed, READ_DEPTH);
            test(control, end, own, peer);
        }
    }

    private void runConnected(Device device) throws IOException {
        Connections connections = new Connections(device, limit());
        if (host == null) {
            sayReady(device, connections.listen(port, BACKLOG));
        }
        MessageEnd messages = connect(connections, id -> controlEnd(device, id));
        try (PerftestControl control = new PerftestCmControl(messages, isClient())) {
            control.agreeOnMtu(ownMtu(device));
            control.exchange(PerftestPeer.NONE);
            PerftestEnd end = new PerftestEnd(device, settings());
            ConnectionId id = connect(connections, next -> createPair(end, next));
            end.postReceives();
            control.exchange(PerftestPeer.NONE);
            PerftestPeer own = describe(device, end);
            test(control, end, own, control.exchange(own));
            disconnect(connections, id, messages.id());
        }
    }

    private MessageEnd controlEnd(Device device, ConnectionId id) {
        MessageEnd end =
                new MessageEnd(
                        device, id, PerftestPeer.BINARY_BYTES, PerftestCmControl.DEPTH, limit());
        end.postReceives(PerftestCmControl.DEPTH);
        return end;
    }

    private static ConnectionId createPair(PerftestEnd end, ConnectionId id) {
        end.createPair(id::createQueuePair);
        return id;
    }

    private void test(PerftestControl control, PerftestEnd end, PerftestPeer own, PerftestPeer peer)
            throws IOException {
        say(" local address:  " + own);
        say(" remote address: " + peer);
        operation().aim(end, peer);
        control.synchronize(own, exchangesBefore() - 1);
        measure(control, end, own);
    }

    private static PerftestPeer describe(Device device, PerftestEnd end) {
        return new PerftestPeer(
                READ_DEPTH,
                end.pair().number(),
                new SecureRandom().nextInt(1 << PSN_BITS),
                end.key(),
                end.memory(),
                device.address());
    }

    /// The next connection, made by the client.
    private <T> T connect(Connections connections, Function<ConnectionId, T> prepare) {
        ConnectionParameters parameters =
                new ConnectionParameters(READ_DEPTH, READ_DEPTH, 7, 7, new byte[0]);
        if (host != null) {
            InetSocketAddress server = new InetSocketAddress(resolve(host), port);
            return connections.connect(server, parameters, prepare);
        }
        ConnectionId id = connections.await(ConnectionEvent.Type.CONNECT_REQUEST).id();
        T prepared = prepare.apply(id);
        id.accept(parameters);
        connections.await(ConnectionEvent.Type.ESTABLISHED);
        return prepared;
    }

    /// The client begins; who ends the control connection is left to chance.
    private void disconnect(Connections connections, ConnectionId id, ConnectionId controlId) {
        if (isClient()) {
            id.disconnect();
        }
        connections.await(ConnectionEvent.Type.DISCONNECTED);
        id.disconnect();
        controlId.disconnect();
        connections.await(ConnectionEvent.Type.DISCONNECTED);
    }
}
