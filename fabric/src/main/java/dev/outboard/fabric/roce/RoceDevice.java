package dev.outboard.fabric.roce;

import dev.outboard.fabric.AsyncEvent;
import dev.outboard.fabric.CompletionChannel;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.ConnectionChannel;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.DeviceLimits;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.NotificationHandle;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.SharedReceiveQueue;
import dev.outboard.fabric.linux.EventFd;
import dev.outboard.fabric.linux.MappingArena;
import dev.outboard.fabric.memory.KeyedTable;
import dev.outboard.fabric.memory.RegionTable;
import dev.outboard.fabric.roce.cm.CaGuid;
import dev.outboard.fabric.roce.cm.CmConfiguration;
import dev.outboard.fabric.roce.io.IpMtu;
import dev.outboard.fabric.roce.io.UdpSocket;
import dev.outboard.fabric.roce.nic.GeneralServices;
import dev.outboard.fabric.roce.nic.NicMachine;
import dev.outboard.fabric.roce.rc.CongestionControl;
import dev.outboard.fabric.roce.rc.RcQueuePair;
import dev.outboard.fabric.roce.transport.Port;
import dev.outboard.fabric.roce.transport.QueuePairMachine;
import dev.outboard.fabric.roce.ud.UdQueuePair;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.roce.wire.PathMtu;
import dev.outboard.fabric.roce.wire.Psn;
import dev.outboard.fabric.spi.DeviceUri;
import dev.outboard.fabric.verbs.QueuePairCore;
import dev.outboard.fabric.verbs.QueueSizes;
import dev.outboard.fabric.verbs.ReceiveQueue;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/// A software RoCEv2 device on one local address: a socket, the engine around it, and everything
/// made from it.
final class RoceDevice implements Device {
    private static final int MAX_QUEUE_PAIRS = 1 << 14;

    /// Every queue pair may have a connection, and as many be in TIMEWAIT.
    static final int MAX_ACCEPTED = 2 * MAX_QUEUE_PAIRS;

    private static final int MAX_REGIONS = 1 << 17;
    private static final int MAX_COMPLETIONS = 1 << 20;
    private static final int MAX_WORK_REQUESTS = 1 << 16;
    private static final int MAX_SCATTER_GATHER = 32;
    private static final int MAX_INLINE_BYTES = 1024;
    private static final long MAX_MESSAGE_BYTES = 1L << 31;

    /// roce.md 5.6: gives a transport timeout of 0.54 s instead of Linux's 2.15 s. Losses are found
    /// earlier by probing; this decides how soon a dead peer is noticed.
    static final int PACKET_LIFETIME_CODE = 15;

    private final String name;
    private final InetAddress address;
    private final PathMtu pathMtu;
    private final long guid;
    private final SecureRandom random = new SecureRandom();
    private final UdpSocket socket;
    private final CongestionControl congestion;
    private final Engine engine;
    private final Drivers drivers;
    private final Taps taps;
    private final RegionTable regions = new RegionTable(MAX_REGIONS, random);
    private final EventQueue events = new EventQueue();
    private final AtomicInteger nextDomain = new AtomicInteger();
    private final List<RoceConnectionChannel> channels = new CopyOnWriteArrayList<>();
    private final KeyedTable<RoceQueuePair> queuePairs = new KeyedTable<>();
    private boolean closed;

    /// Until everything is closed.
    private volatile boolean isOpen = true;

    private RoceDevice(UdpSocket socket, PathMtu pathMtu, RoceOptions options, Taps taps) {
        this.address = socket.localAddress();
        this.name = nameOf(address);
        this.pathMtu = pathMtu;
        this.congestion =
                new CongestionControl(options.notifiesCongestion(), options.peerBufferBytes());
        this.socket = socket;
        this.taps = taps;
        this.guid = caGuid(socket.receiveBufferBytes(), options.takesRequestsAhead());
        CmConfiguration configuration =
                CmConfiguration.of(guid, Gid.of(address), pathMtu)
                        .withPacketLifetime(PACKET_LIFETIME_CODE)
                        .withMaximumAccepted(MAX_ACCEPTED);
        this.engine = new Engine(socket, options.icrc(), taps, configuration, random, congestion);
        this.drivers = new Drivers(engine, name);
    }

    private long caGuid(int receiveBufferBytes, boolean takesRequestsAhead) {
        long caGuid = CaGuid.random(random, receiveBufferBytes);
        return takesRequestsAhead ? CaGuid.takingRequestsAhead(caGuid) : caGuid;
    }

    /// Opens the device on `address` that `location` names.
    static RoceDevice open(InetAddress address, DeviceUri location, RoceOptions options) {
        UdpSocket socket = UdpSocket.bind(address, Path.DESTINATION_PORT);
        try {
            Taps taps = Taps.of("roce://" + location.device(), options);
            RoceDevice device = new RoceDevice(socket, pathMtu(address), options, taps);
            device.drivers.start();
            return device;
        } catch (RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    Engine engine() {
        return engine;
    }

    Drivers drivers() {
        return drivers;
    }

    NicMachine nic() {
        return engine.nic();
    }

    GeneralServices services() {
        return nic().services();
    }

    RegionTable regions() {
        return regions;
    }

    void remove(RoceConnectionChannel channel) {
        channels.remove(channel);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public InetAddress address() {
        return address;
    }

    @Override
    public long guid() {
        return guid;
    }

    @Override
    public DeviceLimits limits() {
        return limits(pathMtu);
    }

    /// The limits of a device on `address`, whether or not it is open.
    static DeviceLimits limits(InetAddress address) {
        return limits(pathMtu(address));
    }

    private static DeviceLimits limits(PathMtu pathMtu) {
        return DeviceLimits.builder()
                .maxMessageBytes(MAX_MESSAGE_BYTES)
                .pathMtuBytes(pathMtu.bytes())
                .maxQueuePairs(MAX_QUEUE_PAIRS)
                .maxMemoryRegions(MAX_REGIONS)
                .maxCompletions(MAX_COMPLETIONS)
                .maxWorkRequests(MAX_WORK_REQUESTS)
                .maxScatterGather(MAX_SCATTER_GATHER)
                .maxInlineBytes(MAX_INLINE_BYTES)
                .build();
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        return new RoceProtectionDomain(this, nextDomain.getAndIncrement());
    }

    @Override
    public CompletionQueue createCompletionQueue(int capacity) {
        range("capacity of a completion queue", capacity, 1, MAX_COMPLETIONS);
        return new RoceCompletionQueue(this, capacity);
    }

    @Override
    public CompletionQueue createCompletionQueue(int capacity, CompletionChannel channel) {
        range("capacity of a completion queue", capacity, 1, MAX_COMPLETIONS);
        if (channel instanceof RoceCompletionChannel ours && ours.isOf(this)) {
            return new RoceCompletionQueue(this, capacity, ours);
        }
        throw new FabricException(
                Reason.INVALID_ARGUMENT,
                "the completion channel of a completion queue must come from " + name);
    }

    @Override
    public RoceCompletionChannel createCompletionChannel() {
        RoceCompletionChannel channel = new RoceCompletionChannel(this);
        drivers.add(channel);
        return channel;
    }

    @Override
    public Arena openArena() {
        return new MappingArena();
    }

    @Override
    public NotificationHandle createNotificationHandle() {
        return new EventFd("notification handle of " + name);
    }

    @Override
    public ConnectionChannel createConnectionChannel() {
        RoceConnectionChannel channel = new RoceConnectionChannel(this);
        channels.add(channel);
        return channel;
    }

    /// A queue for receives, checked against the limits.
    ReceiveQueue receiveQueue(int maxReceives, int maxScatterGather) {
        range("receives of a queue", maxReceives, 1, MAX_WORK_REQUESTS);
        range("memory pieces of a receive", maxScatterGather, 1, MAX_SCATTER_GATHER);
        return new ReceiveQueue(regions, maxReceives, maxScatterGather);
    }

    int randomPsn() {
        return random.nextInt(Psn.MODULUS);
    }

    Port port() {
        return new Port(Gid.of(address), pathMtu.bytes());
    }

    /// A queue pair in state RESET.
    RoceQueuePair createQueuePair(ProtectionDomain domain, QueuePairAttributes attributes) {
        RoceProtectionDomain ours = ours(domain);
        RoceQueuePair.Uses uses = uses(ours, attributes);
        range("sends of a queue pair", attributes.maxSends(), 1, MAX_WORK_REQUESTS);
        if (uses.shared() == null) {
            range("receives of a queue pair", attributes.maxReceives(), 1, MAX_WORK_REQUESTS);
        }
        range("memory pieces of a request", attributes.maxScatterGather(), 1, MAX_SCATTER_GATHER);
        range("inline bytes of a request", attributes.maxInlineBytes(), 0, MAX_INLINE_BYTES);
        return engine.exclusively(() -> {
            requireRoom();
            int number = nic().freeNumber();
            QueuePairMachine machine = machine(core(number, ours, uses, attributes), attributes);
            RoceQueuePair queuePair = new RoceQueuePair(this, ours, nic().add(machine), uses);
            ours.joined(queuePair);
            uses.joined();
            queuePairs.add(number, queuePair);
            return queuePair;
        });
    }

    private QueuePairMachine machine(QueuePairCore core, QueuePairAttributes attributes) {
        return switch (attributes.type()) {
            case RELIABLE_CONNECTED -> new RcQueuePair(core, port(), congestion);
            case UNRELIABLE_DATAGRAM -> new UdQueuePair(core, port(), engine::discard);
        };
    }

    private QueuePairCore core(
            int number,
            RoceProtectionDomain domain,
            RoceQueuePair.Uses uses,
            QueuePairAttributes attributes) {
        QueueSizes sizes =
                new QueueSizes(
                        attributes.maxSends(),
                        attributes.maxReceives(),
                        attributes.maxScatterGather(),
                        attributes.maxInlineBytes());
        return new QueuePairCore(
                number,
                domain.number(),
                regions,
                uses.sendQueue().ring(),
                uses.receiveQueue().ring(),
                sizes,
                Optional.ofNullable(uses.shared()).map(RoceSharedReceiveQueue::receives),
                attributes.allSignaled(),
                type -> raise(type, number));
    }

    private void raise(AsyncEvent.Type type, int queuePairNumber) {
        RoceQueuePair queuePair = queuePairs.find(queuePairNumber);
        if (queuePair != null) {
            events.add(type, queuePair);
        }
    }

    private RoceProtectionDomain ours(ProtectionDomain domain) {
        if (domain instanceof RoceProtectionDomain ours && ours.device() == this) {
            return ours;
        }
        throw new FabricException(
                Reason.INVALID_ARGUMENT,
                "the protection domain of a queue pair must come from " + name);
    }

    private RoceQueuePair.Uses uses(RoceProtectionDomain domain, QueuePairAttributes attributes) {
        SharedReceiveQueue shared = attributes.sharedReceiveQueue().orElse(null);
        if (shared != null
                && !(shared instanceof RoceSharedReceiveQueue queue && queue.domain() == domain)) {
            throw new FabricException(
                    Reason.INVALID_ARGUMENT,
                    "the shared receive queue of a queue pair must come from its protection"
                            + " domain");
        }
        if (!(attributes.sendQueue() instanceof RoceCompletionQueue sends && sends.isOf(this))
                || !(attributes.receiveQueue() instanceof RoceCompletionQueue receives
                        && receives.isOf(this))) {
            throw new FabricException(
                    Reason.INVALID_ARGUMENT,
                    "the completion queues of a queue pair must come from " + name);
        }
        return new RoceQueuePair.Uses(sends, receives, (RoceSharedReceiveQueue) shared);
    }

    /// `queuePair` is destroyed. While driving.
    void left(RoceQueuePair queuePair) {
        queuePairs.remove(queuePair.number());
    }

    EventQueue events() {
        return events;
    }

    @Override
    public Optional<AsyncEvent> nextEvent(Duration timeout) {
        if (timeout.isZero()) {
            engine.drive();
        }
        return events.next(timeout);
    }

    @Override
    public Map<String, Long> counters() {
        Map<String, Long> counters = new TreeMap<>(engine.counters());
        counters.put("received.buffer-bytes", (long) socket.receiveBufferBytes());
        counters.put("events.lost", events.lost());
        return counters;
    }

    @Override
    public boolean isOpen() {
        return isOpen;
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        channels.forEach(RoceConnectionChannel::close);
        queuePairs.forEach(RoceQueuePair::close);
        engine.exclusively(() -> services().agent().shutDown(System.nanoTime()));
        engine.exclusively(engine::close);
        drivers.close();
        engine.release();
        socket.close();
        taps.close();
        isOpen = false;
    }

    private void requireRoom() {
        if (queuePairs.size() >= MAX_QUEUE_PAIRS) {
            throw new FabricException(
                    Reason.LIMIT_REACHED,
                    "all " + MAX_QUEUE_PAIRS + " queue pairs of " + name + " exist");
        }
    }

    private static PathMtu pathMtu(InetAddress address) {
        int ipMtu = IpMtu.of(address);
        return PathMtu.largestFor(ipMtu)
                .orElseThrow(() ->
                        new FabricException(
                                Reason.UNUSABLE_PATH,
                                nameOf(address)
                                        + ": an IP MTU of "
                                        + ipMtu
                                        + " bytes is too small for RoCE; 352 is the least"));
    }

    private static String nameOf(InetAddress address) {
        return "roce://" + address.getHostAddress();
    }

    private static void range(String what, int value, int min, int max) {
        if (value < min || value > max) {
            throw new FabricException(
                    Reason.LIMIT_REACHED, what + " is " + value + "; valid: " + min + " to " + max);
        }
    }
}
