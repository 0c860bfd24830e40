package dev.outboard.dpa.nic;

import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.table.KeyedTable;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/// Where the NIC of a process meets a device of the fabric: in a protection domain, beyond which no
/// key opens memory, and with one completion queue for all its queue pairs.
///
/// Whoever drives the device leaves completions with their queue pair, and has the NIC take them.
/// As long as it has nothing else to do, a thread of the NIC drives the device and sleeps at its
/// socket; with a simulated network, whose time passes for that, only while a peer has to answer.
final class FabricPort {
    /// After which a wait ends for no reason.
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Device device;
    private final DpaProcess process;
    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    private final KeyedTable<FabricPair> pairs = new KeyedTable<>();
    private final Set<MemoryRegion> regions = ConcurrentHashMap.newKeySet();

    /// The queue pairs that have completions, the latest first; each is in it at most once.
    private final AtomicReference<@Nullable FabricPair> ready = new AtomicReference<>();

    private final Shared shared;
    private final Consumer<Runnable> later;
    private final IntPredicate isTaken;

    /// All completions go to the sink.
    private final Completion nothing = new Completion();

    /// Who drives the device and tells of a completion.
    private volatile @Nullable Thread driver;

    /// @param later has the NIC's own thread do something
    /// @param isTaken whether the NIC has a queue of that number, perhaps at another device
    FabricPort(
            ProtectionDomain domain,
            DpaProcess process,
            Shared shared,
            Consumer<Runnable> later,
            IntPredicate isTaken) {
        this.domain = domain;
        device = domain.device();
        this.process = process;
        this.shared = shared;
        this.later = later;
        this.isTaken = isTaken;
        completions = device.createCompletionQueue(this::completed);
    }

    Device device() {
        return device;
    }

    /// Whether a thread may wait for what the device brings.
    boolean canAwait() {
        return device.isOpen();
    }

    /// Whether somebody has to wait for what the device brings: with a simulated network, whose
    /// time passes for that, only while a peer has to answer.
    boolean isAwaited() {
        return !device.isSimulated() || isOutstanding();
    }

    /// Whether a peer has to answer.
    boolean isOutstanding() {
        AtomicBoolean any = new AtomicBoolean();
        pairs.forEach(pair -> any.compareAndSet(false, pair.isOutstanding()));
        return any.get();
    }

    /// Makes memory of the process known to the device, under the addresses of the process.
    ///
    /// @throws FabricException if the rights do not go together, or the device takes no more
    MemoryRegion register(long address, long lengthBytes, Set<Access> access) {
        dev.outboard.fabric.Access[] rights =
                access.stream()
                        .map(right -> dev.outboard.fabric.Access.valueOf(right.name()))
                        .toArray(dev.outboard.fabric.Access[]::new);
        MemoryRegion region = domain.register(process.bytes(address, lengthBytes), address, rights);
        regions.add(region);
        return region;
    }

    void deregister(MemoryRegion region) {
        regions.remove(region);
        region.close();
    }

    /// Makes a queue pair of the device.
    QueuePair create(int maxSends, int maxReceives, Runnable refill) {
        QueuePairAttributes attributes =
                QueuePairAttributes.of(completions, maxSends, maxReceives)
                        .withMaxScatterGather(device.limits().maxScatterGather())
                        .withRefill(refill);
        QueuePair made = domain.createQueuePair(attributes);
        while (isTaken.test(made.number())) {
            QueuePair other = domain.createQueuePair(attributes);
            made.close();
            made = other;
        }
        return made;
    }

    /// Connects one queue pair of the device with another one.
    void connect(QueuePair from, QueuePair to) {
        int inFlight = 16;
        from.modify(
                QueuePairChange.to(QueuePairState.INIT)
                        .access(
                                dev.outboard.fabric.Access.REMOTE_READ,
                                dev.outboard.fabric.Access.REMOTE_WRITE,
                                dev.outboard.fabric.Access.REMOTE_ATOMIC));
        from.modify(
                QueuePairChange.to(QueuePairState.READY_TO_RECEIVE)
                        .addressVector(AddressVector.to(device.address()))
                        .destinationNumber(to.number())
                        .pathMtu(device.limits().pathMtuBytes())
                        .receivePsn(0)
                        .maxDestinationReadAtomic(inFlight)
                        .minRnrTimer(1));
        from.modify(
                QueuePairChange.to(QueuePairState.READY_TO_SEND)
                        .sendPsn(0)
                        .timeout(14)
                        .retryCount(7)
                        .rnrRetryCount(7)
                        .maxReadAtomic(inFlight));
    }

    void add(FabricPair pair) {
        pairs.add(pair.number(), pair);
    }

    void remove(FabricPair pair) {
        pairs.remove(pair.number());
    }

    /// Called by whoever drives the device, one at a time.
    private void completed(Completion completion) {
        FabricPair pair = pairs.find(completion.queuePairNumber());
        if (pair != null) {
            pair.inbox().add(completion);
            driver = Thread.currentThread();
            hasNews(pair);
            driver = null;
        }
    }

    /// Changes a queue pair, which whoever drives the device must not do.
    void change(Runnable change) {
        if (Thread.currentThread().equals(driver)) {
            later.accept(change);
        } else {
            change.run();
        }
    }

    /// The pair has something for the actor.
    private void hasNews(FabricPair pair) {
        if (pair.isReady.compareAndSet(false, true)) {
            FabricPair next;
            do {
                next = ready.get();
                pair.nextReady = next;
            } while (!ready.compareAndSet(next, pair));
            shared.attend();
        }
    }

    /// The actor takes what has completed.
    ///
    /// @return whether there was anything
    boolean takeCompletions(Nic nic) {
        FabricPair pair = ready.getAndSet(null);
        boolean any = pair != null;
        while (pair != null) {
            FabricPair next = pair.nextReady;
            pair.nextReady = null;
            pair.isReady.set(false);
            pair.takeCompletions(nic);
            pair = next;
        }
        return any;
    }

    /// Drives the device once.
    void drive() {
        if (device.isOpen()) {
            boolean _ = completions.poll(nothing);
        }
    }

    /// Drives the device until something has completed.
    void await(BooleanSupplier mayWait) {
        completions.requestNotification(false);
        if (mayWait.getAsBoolean() && ready.get() == null) {
            completions.await(LOOK_NANOS);
        }
    }

    /// Ends that.
    void wake() {
        completions.wake();
    }

    /// Nobody executes or tells anything any more: the peers of queue pairs get no answer.
    void stop() {
        if (device.isOpen()) {
            pairs.forEach(FabricPair::processEnded);
        }
    }

    /// Everything of the process is gone from the device.
    void close() {
        if (device.isOpen()) {
            pairs.forEach(FabricPair::close);
            for (MemoryRegion region : regions) {
                region.close();
            }
            completions.close();
        }
    }
}
