package dev.outboard.fabric.roce.device;

import dev.outboard.fabric.AsyncEvent;
import dev.outboard.fabric.CompletionChannel;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.CompletionSink;
import dev.outboard.fabric.ConnectionChannel;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.DeviceLimits;
import dev.outboard.fabric.DeviceMemory;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.MacAddress;
import dev.outboard.fabric.NicFunction;
import dev.outboard.fabric.NotificationHandle;
import dev.outboard.fabric.PacketWatch;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.drive.Drivers;
import dev.outboard.fabric.drive.Engine;
import dev.outboard.fabric.linux.EventFd;
import dev.outboard.fabric.linux.MappingArena;
import dev.outboard.fabric.memory.CallFailures;
import dev.outboard.fabric.memory.DeviceMemoryPool;
import dev.outboard.fabric.memory.RegionTable;
import dev.outboard.fabric.roce.cm.CaGuid;
import dev.outboard.fabric.roce.cm.CmConfiguration;
import dev.outboard.fabric.roce.nic.GeneralServices;
import dev.outboard.fabric.roce.nic.NicMachine;
import dev.outboard.fabric.roce.raw.RawPacketQueuePair;
import dev.outboard.fabric.roce.rc.CongestionControl;
import dev.outboard.fabric.roce.rc.RcQueuePair;
import dev.outboard.fabric.roce.transport.EthernetPort;
import dev.outboard.fabric.roce.transport.Port;
import dev.outboard.fabric.roce.transport.QueuePairMachine;
import dev.outboard.fabric.roce.ud.UdQueuePair;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.PathMtu;
import dev.outboard.fabric.roce.wire.Psn;
import dev.outboard.fabric.table.KeyedTable;
import dev.outboard.fabric.verbs.QueuePairCore;
import dev.outboard.fabric.verbs.QueueSizes;
import dev.outboard.fabric.verbs.ReceiveQueue;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// A software RoCEv2 device: a network card with the engine around it, plugged in somewhere, and
/// everything made from it.
public final class RoceDevice implements Device {
    private static final int MAX_QUEUE_PAIRS = 1 << 14;

    /// Every queue pair may have a connection, and as many be in TIMEWAIT.
    static final int MAX_ACCEPTED = 2 * MAX_QUEUE_PAIRS;

    private static final int MAX_REGIONS = 1 << 17;
    private static final int MAX_COMPLETIONS = 1 << 20;
    private static final int MAX_WORK_REQUESTS = 1 << 16;
    private static final int MAX_SCATTER_GATHER = 32;
    private static final int MAX_INLINE_BYTES = 1024;
    private static final long MAX_MESSAGE_BYTES = 1L << 31;

    /// Where there is Ethernet.
    public static final int MAX_FLOWS = 1024;

    /// roce.md 5.6: gives a transport timeout of 0.54 s instead of Linux's 2.15 s. Losses are found
    /// earlier by probing; this decides how soon a dead peer is noticed.
    public static final int PACKET_LIFETIME_CODE = 15;

    private final DeviceSettings settings;
    private final long guid;
    private final NetworkSite site;
    private final CardFunctions functions;
    private final @Nullable EthernetPort ethernet;
    private final CongestionControl congestion;
    private final NicMachine nic;
    private final Engine engine;
    private final Drivers drivers;
    private final RegionTable regions;
    private final DeviceMemoryPool deviceMemory;
    private final EventQueue events = new EventQueue();
    private final AtomicLong sinkFailures = new AtomicLong();
    private final CallFailures refillFailures = new CallFailures("a refill of receives");
    private final AtomicInteger nextDomain = new AtomicInteger();
    private final AtomicInteger openDomains = new AtomicInteger();
    private final AtomicInteger openCompletionQueues = new AtomicInteger();
    private final List<RoceConnectionChannel> channels = new CopyOnWriteArrayList<>();
    private final KeyedTable<RoceQueuePair> queuePairs = new KeyedTable<>();
    private boolean closed;

    /// Until everything is closed.
    private volatile boolean isOpen = true;

    /// A card that is plugged in at `site`, which it closes in the end.
    public RoceDevice(DeviceSettings settings, NetworkSite site) {
        this(settings, site, CardFunctions.single(settings));
    }

    /// A function of a card that is plugged in at `site`, which it closes in the end.
    public RoceDevice(DeviceSettings settings, NetworkSite site, CardFunctions functions) {
        this.settings = settings;
        this.site = site;
        this.functions = functions;
        ethernet = site.ethernet();
        guid = caGuid(settings, site.receiveBufferBytes());
        regions = new RegionTable(MAX_REGIONS, settings.random(), site.placement());
        deviceMemory = new DeviceMemoryPool(site.deviceMemoryBytes());
        congestion =
                new CongestionControl(settings.notifiesCongestion(), settings.peerBufferBytes());
        CmConfiguration configuration =
                CmConfiguration.of(guid, Gid.of(settings.address()), settings.pathMtu())
                        .withPacketLifetime(PACKET_LIFETIME_CODE)
                        .withMaximumAccepted(MAX_ACCEPTED);
        nic = new NicMachine(configuration, settings.random(), congestion, site);
        site.attach(nic);
        engine = new Engine(nic, site);
        drivers = site.drivers(engine, settings.name());
    }

    private static long caGuid(DeviceSettings settings, int receiveBufferBytes) {
        long caGuid = CaGuid.random(settings.random(), receiveBufferBytes);
        return settings.takesRequestsAhead() ? CaGuid.takingRequestsAhead(caGuid) : caGuid;
    }

    /// Where it is plugged in.
    public NetworkSite site() {
        return site;
    }

    Engine engine() {
        return engine;
    }

    Drivers drivers() {
        return drivers;
    }

    /// The card. While driving.
    NicMachine nic() {
        return nic;
    }

    GeneralServices services() {
        return nic.services();
    }

    RegionTable regions() {
        return regions;
    }

    void remove(RoceConnectionChannel channel) {
        channels.remove(channel);
    }

    @Override
    public String name() {
        return settings.name();
    }

    @Override
    public InetAddress address() {
        return settings.address();
    }

    @Override
    public Optional<MacAddress> macAddress() {
        return Optional.ofNullable(ethernet).map(EthernetPort::address);
    }

    @Override
    public long guid() {
        return guid;
    }

    @Override
    public DeviceLimits limits() {
        return limits(settings.pathMtu()).toBuilder()
                .maxDeviceMemoryBytes(deviceMemory.capacity())
                .maxFunctions(functions.most())
                .maxFlows(ethernet == null ? 0 : MAX_FLOWS)
                .maxFrameBytes(ethernet == null ? 0 : ethernet.maxFrameBytes())
                .build();
    }

    /// The limits of a device whose packets have so much payload at most, with no memory of its own
    /// and no other function on its card.
    public static DeviceLimits limits(PathMtu pathMtu) {
        return DeviceLimits.builder()
                .maxMessageBytes(MAX_MESSAGE_BYTES)
                .pathMtuBytes(pathMtu.bytes())
                .maxQueuePairs(MAX_QUEUE_PAIRS)
                .maxMemoryRegions(MAX_REGIONS)
                .maxCompletions(MAX_COMPLETIONS)
                .maxWorkRequests(MAX_WORK_REQUESTS)
                .maxScatterGather(MAX_SCATTER_GATHER)
                .maxInlineBytes(MAX_INLINE_BYTES)
                .maxFunctions(1)
                .build();
    }

    @Override
    public Role role() {
        return functions.role();
    }

    @Override
    public NicFunction function() {
        return functions.own();
    }

    @Override
    public List<NicFunction> functions() {
        return functions.usable();
    }

    @Override
    public Device openFunction(int number) {
        requireOpen();
        return functions.open(number);
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        requireOpen();
        openDomains.incrementAndGet();
        return new RoceProtectionDomain(this, nextDomain.getAndIncrement());
    }

    /// A protection domain is closed.
    void domainClosed() {
        openDomains.decrementAndGet();
    }

    /// A completion queue is made.
    void completionQueueOpened() {
        openCompletionQueues.incrementAndGet();
    }

    /// A completion queue is closed.
    void completionQueueClosed() {
        openCompletionQueues.decrementAndGet();
    }

    @Override
    public CompletionQueue createCompletionQueue(int capacity) {
        requireOpen();
        range("capacity of a completion queue", capacity, 1, MAX_COMPLETIONS);
        return new RoceCompletionQueue(this, capacity, null);
    }

    @Override
    public CompletionQueue createCompletionQueue(int capacity, CompletionChannel channel) {
        requireOpen();
        range("capacity of a completion queue", capacity, 1, MAX_COMPLETIONS);
        if (channel instanceof RoceCompletionChannel ours && ours.isOf(this)) {
            ours.requireOpen();
            return new RoceCompletionQueue(this, capacity, ours);
        }
        throw new FabricException(
                Reason.INVALID_ARGUMENT,
                "the completion channel of a completion queue must come from " + name());
    }

    @Override
    public CompletionQueue createCompletionQueue(CompletionSink sink) {
        requireOpen();
        return new RoceCompletionQueue(this, sink);
    }

    /// A completion sink threw.
    void sinkFailed() {
        sinkFailures.incrementAndGet();
    }

    @Override
    public RoceCompletionChannel createCompletionChannel() {
        requireOpen();
        return new RoceCompletionChannel(this);
    }

    @Override
    public Arena openArena() {
        return new MappingArena();
    }

    @Override
    public NotificationHandle createNotificationHandle() {
        return new EventFd("notification handle of " + name());
    }

    @Override
    public ConnectionChannel createConnectionChannel() {
        requireOpen();
        RoceConnectionChannel channel = new RoceConnectionChannel(this);
        channels.add(channel);
        return channel;
    }

    DeviceMemoryPool deviceMemory() {
        return deviceMemory;
    }

    @Override
    public DeviceMemory allocateDeviceMemory(long length, long alignment) {
        requireOpen();
        return deviceMemory.allocate(length, alignment);
    }

    /// A queue for receives, checked against the limits.
    ReceiveQueue receiveQueue(int maxReceives, int maxScatterGather) {
        range("receives of a queue", maxReceives, 1, MAX_WORK_REQUESTS);
        range("memory pieces of a receive", maxScatterGather, 1, MAX_SCATTER_GATHER);
        return new ReceiveQueue(regions, maxReceives, maxScatterGather);
    }

    int randomPsn() {
        return settings.random().nextInt(Psn.MODULUS);
    }

    Port port() {
        return new Port(Gid.of(settings.address()), settings.pathMtu().bytes());
    }

    /// A queue pair in state RESET.
    RoceQueuePair createQueuePair(ProtectionDomain domain, QueuePairAttributes attributes) {
        RoceProtectionDomain ours = ours(domain);
        RoceQueuePair.Uses uses = RoceQueuePair.Uses.of(attributes, ours);
        range("sends of a queue pair", attributes.maxSends(), 1, MAX_WORK_REQUESTS);
        if (uses.shared() == null) {
            range("receives of a queue pair", attributes.maxReceives(), 1, MAX_WORK_REQUESTS);
        }
        range("memory pieces of a request", attributes.maxScatterGather(), 1, MAX_SCATTER_GATHER);
        range("inline bytes of a request", attributes.maxInlineBytes(), 0, MAX_INLINE_BYTES);
        return engine.exclusively(() -> {
            requireRoom();
            int number = nic.freeNumber();
            QueuePairMachine machine = machine(core(number, ours, uses, attributes), attributes);
            RoceQueuePair queuePair = new RoceQueuePair(this, ours, nic.add(machine), uses);
            ours.joined(queuePair);
            uses.joined();
            queuePairs.add(number, queuePair);
            return queuePair;
        });
    }

    private QueuePairMachine machine(QueuePairCore core, QueuePairAttributes attributes) {
        return switch (attributes.type()) {
            case RELIABLE_CONNECTED -> new RcQueuePair(core, port(), congestion);
            case UNRELIABLE_DATAGRAM -> new UdQueuePair(core, port(), nic.discards()::increment);
            case RAW_PACKET ->
                    new RawPacketQueuePair(
                            core, port(), requireEthernet(), nic.discards()::increment);
        };
    }

    private EthernetPort requireEthernet() {
        if (ethernet == null) {
            throw new FabricException(
                    Reason.INVALID_ARGUMENT,
                    name()
                            + " has no queue pairs of type RAW_PACKET, as its limits say; valid:"
                            + " RELIABLE_CONNECTED, UNRELIABLE_DATAGRAM, or a device of sim://");
        }
        return ethernet;
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
        QueuePairCore core =
                new QueuePairCore(
                        number,
                        domain.number(),
                        regions,
                        uses.sendQueue().ring(),
                        uses.receiveQueue().ring(),
                        sizes,
                        Optional.ofNullable(uses.shared()).map(RoceSharedReceiveQueue::receives),
                        attributes.allSignaled(),
                        type -> raise(type, number));
        core.onNoReceive(() -> refill(attributes.refill()));
        return core;
    }

    /// An application that fails when it is called has posted nothing.
    private void refill(Runnable refill) {
        try {
            refill.run();
        } catch (RuntimeException | Error e) {
            refillFailures.add(e);
        }
    }

    private void raise(AsyncEvent.Type type, int queuePairNumber) {
        RoceQueuePair queuePair = queuePairs.find(queuePairNumber);
        if (queuePair != null) {
            events.add(type, queuePair);
        }
    }

    private RoceProtectionDomain ours(ProtectionDomain domain) {
        if (domain instanceof RoceProtectionDomain ours && ours.device() == this) {
            ours.requireOpen();
            return ours;
        }
        throw new FabricException(
                Reason.INVALID_ARGUMENT,
                "the protection domain of a queue pair must come from " + name());
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
            drivers.drive();
        } else {
            engine.requireOutside("nextEvent");
        }
        return events.next(drivers, timeout);
    }

    @Override
    public void watchPackets(PacketWatch watch) {
        engine.exclusively(() -> nic.watch(watch));
    }

    @Override
    public Map<String, Long> counters() {
        Map<String, Long> counters =
                new TreeMap<>(engine.exclusively(() -> services().agent().counters().snapshot()));
        counters.put(
                "received.congestion-notifications",
                engine.exclusively(nic::congestionNotifications));
        site.countersTo(counters);
        nic.discards().copyTo(counters, "discarded.");
        counters.put("events.lost", events.lost());
        counters.put("open.protection-domains", (long) openDomains.get());
        counters.put("open.completion-queues", (long) openCompletionQueues.get());
        counters.put("open.queue-pairs", (long) queuePairs.size());
        counters.put("open.flows", engine.exclusively(() -> (long) nic.steering().size()));
        counters.put("open.connection-channels", (long) channels.size());
        regions.countersTo(counters);
        counters.put("completions.sink-failures", sinkFailures.get());
        counters.put("packets.watch-failures", nic.watchFailures());
        counters.put("receives.refill-failures", refillFailures.count());
        return counters;
    }

    @Override
    public boolean isSimulated() {
        return drivers.passesTime();
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
        engine.exclusively(() -> services().agent().shutDown(engine.nowNanos()));
        engine.exclusively(engine::close);
        drivers.close();
        site.close();
        isOpen = false;
    }

    void requireOpen() {
        if (!isOpen) {
            throw new FabricException(Reason.CLOSED, name() + " is closed");
        }
    }

    private void requireRoom() {
        if (queuePairs.size() >= MAX_QUEUE_PAIRS) {
            throw new FabricException(
                    Reason.LIMIT_REACHED,
                    "all " + MAX_QUEUE_PAIRS + " queue pairs of " + name() + " exist");
        }
    }

    private static void range(String what, int value, int min, int max) {
        if (value < min || value > max) {
            throw new FabricException(
                    Reason.LIMIT_REACHED, what + " is " + value + "; valid: " + min + " to " + max);
        }
    }
}
