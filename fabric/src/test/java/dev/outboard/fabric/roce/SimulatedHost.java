package dev.outboard.fabric.roce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.ConnectionChannel;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.roce.device.Inside;
import dev.outboard.fabric.roce.device.RoceDevice;
import dev.outboard.fabric.roce.nic.NicMachine;
import dev.outboard.fabric.sim.SimNetwork;
import dev.outboard.fabric.sim.SimProvider;
import dev.outboard.fabric.spi.DeviceUri;
import dev.outboard.fabric.spi.FabricProvider;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/// A device of a [Simulation], and the application on it.
public final class SimulatedHost {
    private static final FabricProvider PROVIDER = new SimProvider();
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int DEPTH = 16;

    private final Device device;
    private final ConnectionChannel channel;
    private final ProtectionDomain domain;
    private CompletionQueue sharedSends;
    private Consumer<ConnectionEvent> onEvent = event -> {};
    private Runnable onLook = () -> {};
    private long deadlineNanos = Simulation.NEVER;
    private boolean isDead;

    /// One end of a connection: a queue pair, and where it completes.
    public static final class End {
        public final ConnectionId id;
        public final QueuePair queuePair;
        public final CompletionQueue sends;
        public final CompletionQueue receives;

        private End(SimulatedHost host, ConnectionId id) {
            this.id = id;
            CompletionQueue shared = host.sharedSends;
            sends = shared == null ? host.device.createCompletionQueue(DEPTH) : shared;
            receives = host.device.createCompletionQueue(DEPTH);
            queuePair =
                    id.createQueuePair(
                            host.domain,
                            QueuePairAttributes.of(sends, DEPTH, DEPTH).withReceiveQueue(receives));
        }

        /// Asks the peer for a connection.
        public void connect() {
            id.connect(ConnectionParameters.defaults());
        }

        /// Grants what was requested.
        public void accept() {
            id.accept(ConnectionParameters.defaults());
        }

        /// Everything is given back.
        public void close() {
            id.close();
            sends.close();
            receives.close();
        }
    }

    /// Opened without [dev.outboard.fabric.Fabric], which looks for providers in files each time:
    /// there are thousands of hosts in a second.
    SimulatedHost(String uri) {
        device = PROVIDER.open(DeviceUri.parse(uri));
        channel = device.createConnectionChannel();
        domain = device.allocateProtectionDomain();
    }

    public Device device() {
        return device;
    }

    public InetAddress address() {
        return device.address();
    }

    long nowNanos() {
        return SimNetwork.of(device).nowNanos();
    }

    /// The card, for tests that look into it.
    public NicMachine nic() {
        return Inside.of(device);
    }

    /// How often packets left together. Asking takes no turn.
    public long calls() {
        Map<String, Long> counters = new HashMap<>();
        ((RoceDevice) device).site().countersTo(counters);
        return counters.get("sent.calls");
    }

    /// What the application does about events, and whenever something may have come.
    public void application(Consumer<ConnectionEvent> newOnEvent, Runnable newOnLook) {
        onEvent = newOnEvent;
        onLook = newOnLook;
    }

    /// The application wants to look at that time, once.
    public void wakeAt(long nanos) {
        deadlineNanos = nanos;
    }

    public MemoryRegion register(long bytes) {
        return domain.register(
                Arena.ofAuto().allocate(bytes), Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    }

    public void listen(int port) {
        channel.createId().listen(port, 16_384);
    }

    /// An end that can connect to `peer`.
    public End endTo(InetAddress peer, int port) {
        ConnectionId id = channel.createId();
        id.resolveAddress(new InetSocketAddress(peer, port), PATIENCE);
        expect(ConnectionEvent.Type.ADDRESS_RESOLVED);
        id.resolveRoute(PATIENCE);
        expect(ConnectionEvent.Type.ROUTE_RESOLVED);
        return new End(this, id);
    }

    /// The end for a connection that was requested.
    public End endFor(ConnectionEvent request) {
        return new End(this, request.id());
    }

    /// Nothing else comes in between: it is told at once.
    private void expect(ConnectionEvent.Type type) {
        ConnectionEvent event = channel.next(Duration.ZERO).orElseThrow();
        while (event.type() != type) {
            onEvent.accept(event);
            event = channel.next(Duration.ZERO).orElseThrow();
        }
        assertThat(event.type()).as(event.explanation()).isEqualTo(type);
    }

    /// The sends of all ends from now on complete into one queue, which it returns.
    public CompletionQueue shareSends(int capacity) {
        sharedSends = device.createCompletionQueue(capacity);
        return sharedSends;
    }

    /// Gives everything back; fails if a connection or a queue pair is left.
    public void assertNothingIsLeft() {
        assertThat(nic().services().agent().connectionCount()).isZero();
        domain.close();
    }

    void die() {
        isDead = true;
    }

    long deadlineNanos() {
        return isDead ? Simulation.NEVER : deadlineNanos;
    }

    void look() {
        if (isDead) {
            return;
        }
        if (nowNanos() >= deadlineNanos) {
            deadlineNanos = Simulation.NEVER;
        }
        onLook.run();
        for (Optional<ConnectionEvent> event = channel.next(Duration.ZERO);
                event.isPresent();
                event = channel.next(Duration.ZERO)) {
            onEvent.accept(event.get());
        }
    }

    /// The next completion of `queue`; empty if there is none.
    public static Optional<Completion> poll(CompletionQueue queue) {
        Completion completion = new Completion();
        return queue.poll(completion) ? Optional.of(completion) : Optional.empty();
    }
}
