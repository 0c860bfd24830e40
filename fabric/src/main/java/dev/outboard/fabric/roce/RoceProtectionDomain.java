package dev.outboard.fabric.roce;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.SharedReceiveQueue;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// A protection domain: a number that memory regions, queue pairs and shared receive queues must
/// share.
final class RoceProtectionDomain implements ProtectionDomain {
    private final RoceDevice device;
    private final int number;
    private final Set<RoceQueuePair> queuePairs = ConcurrentHashMap.newKeySet();
    private final Set<RoceSharedReceiveQueue> sharedQueues = ConcurrentHashMap.newKeySet();
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
    public Device device() {
        return device;
    }

    @Override
    public MemoryRegion register(MemorySegment segment, Access... access) {
        requireOpen();
        return device.regions().register(number, segment, Set.of(access));
    }

    @Override
    public QueuePair createQueuePair(QueuePairAttributes attributes) {
        requireOpen();
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
    public void close() {
        int regions = device.regions().countIn(number);
        if (regions > 0 || !queuePairs.isEmpty() || !sharedQueues.isEmpty()) {
            throw new FabricException(
                    Reason.IN_USE,
                    "protection domain of "
                            + device.name()
                            + " still has "
                            + regions
                            + " memory regions, "
                            + queuePairs.size()
                            + " queue pairs and "
                            + sharedQueues.size()
                            + " shared receive queues; close them first");
        }
        closed = true;
    }

    private void requireOpen() {
        if (closed) {
            throw new FabricException(
                    Reason.CLOSED, "protection domain of " + device.name() + " is closed");
        }
    }
}
