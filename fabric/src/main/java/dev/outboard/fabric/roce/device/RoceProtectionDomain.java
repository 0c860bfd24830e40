package dev.outboard.fabric.roce.device;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.AddressHandle;
import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.DeviceMemory;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.MemoryWatch;
import dev.outboard.fabric.MemoryWindow;
import dev.outboard.fabric.MmioHandler;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.SharedReceiveQueue;
import dev.outboard.fabric.memory.AllocatedDeviceMemory;
import dev.outboard.fabric.roce.ud.RouteHeader;
import dev.outboard.fabric.roce.ud.UdAddressHandle;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/// A protection domain: a number that memory regions, queue pairs and shared receive queues must
/// share.
final class RoceProtectionDomain implements ProtectionDomain {
    private final RoceDevice device;
    private final int number;
    private final Set<RoceQueuePair> queuePairs = ConcurrentHashMap.newKeySet();
    private final Set<RoceSharedReceiveQueue> sharedQueues = ConcurrentHashMap.newKeySet();
    private final AtomicInteger addressHandles = new AtomicInteger();
    private volatile boolean closed;

    RoceProtectionDomain(RoceDevice device, int number) {
        this.device = device;
        this.number = number;
    }

    int number() {
        return number;
    }

    void joined(RoceQueuePair queuePair) {
        queuePairs.add(queuePair);
    }

    void left(RoceQueuePair queuePair) {
        queuePairs.remove(queuePair);
    }

    void left(RoceSharedReceiveQueue queue) {
        sharedQueues.remove(queue);
    }

    @Override
    public RoceDevice device() {
        return device;
    }

    @Override
    public MemoryRegion register(MemorySegment segment, Access... access) {
        requireOpen();
        return device.regions().register(number, segment, Set.of(access));
    }

    @Override
    public MemoryRegion register(MemorySegment segment, MemoryWatch watch, Access... access) {
        requireOpen();
        return device.regions().register(number, segment, watch, Set.of(access));
    }

    @Override
    public MemoryRegion register(MemorySegment segment, long address, Access... access) {
        requireOpen();
        return device.regions().register(number, segment, address, Set.of(access));
    }

    @Override
    public MemoryRegion register(DeviceMemory memory, long offset, long length, Access... access) {
        requireOpen();
        if (memory instanceof AllocatedDeviceMemory ours && ours.isOf(device.deviceMemory())) {
            return device.regions().register(number, ours, offset, length, Set.of(access));
        }
        throw new FabricException(
                Reason.INVALID_ARGUMENT,
                "the device memory of a region must come from " + device.name());
    }

    @Override
    public MemoryRegion registerMmio(long length, MmioHandler registers, Access... access) {
        requireOpen();
        return device.regions().registerMmio(number, length, registers, Set.of(access));
    }

    @Override
    public MemoryWindow allocateMemoryWindow(MemoryWindow.Type type) {
        requireOpen();
        return device.regions().allocateWindow(number, type);
    }

    @Override
    public QueuePair createQueuePair(QueuePairAttributes attributes) {
        return device.createQueuePair(this, attributes);
    }

    @Override
    public SharedReceiveQueue createSharedReceiveQueue(int maxReceives, int maxScatterGather) {
        requireOpen();
        RoceSharedReceiveQueue queue =
                new RoceSharedReceiveQueue(
                        device, this, device.receiveQueue(maxReceives, maxScatterGather));
        sharedQueues.add(queue);
        return queue;
    }

    @Override
    public AddressHandle createAddressHandle(AddressVector vector) {
        requireOpen();
        String problem = device.site().problemTowards(vector.destination());
        if (!problem.isEmpty()) {
            throw new FabricException(Reason.INVALID_ARGUMENT, problem);
        }
        UdAddressHandle handle =
                new UdAddressHandle(
                        vector,
                        device.port().pathTo(vector),
                        number,
                        addressHandles::decrementAndGet);
        addressHandles.incrementAndGet();
        return handle;
    }

    @Override
    public AddressHandle createAddressHandle(
            Completion received, MemoryRegion region, long offset) {
        return createAddressHandle(
                Optional.of(received)
                        .filter(Completion::hasRouteHeader)
                        .flatMap(any -> RouteHeader.replyVector(region.segment(), offset))
                        .orElseThrow(() ->
                                new FabricException(
                                        Reason.INVALID_ARGUMENT,
                                        "no route header at offset "
                                                + offset
                                                + " belongs to: "
                                                + received)));
    }

    @Override
    public void close() {
        int regions = device.regions().regionsIn(number);
        int windows = device.regions().windowsIn(number);
        int handles = addressHandles.get();
        if (regions + windows + queuePairs.size() + sharedQueues.size() + handles > 0) {
            throw new FabricException(
                    Reason.IN_USE,
                    "protection domain of %s still has %d memory regions, %d memory windows, %d queue pairs, %d shared receive queues and %d address handles; close them first"
                            .formatted(
                                    device.name(),
                                    regions,
                                    windows,
                                    queuePairs.size(),
                                    sharedQueues.size(),
                                    handles));
        }
        if (!closed) {
            closed = true;
            device.domainClosed();
        }
    }

    void requireOpen() {
        device.requireOpen();
        if (closed) {
            throw new FabricException(
                    Reason.CLOSED, "protection domain of " + device.name() + " is closed");
        }
    }
}
