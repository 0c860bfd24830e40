package dev.outboard.fabric.roce;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.ProtectionDomain;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// A protection domain: a number that memory regions and queue pairs must share.
final class RoceProtectionDomain implements ProtectionDomain {
    private final RoceDevice device;
    private final int number;
    private final Set<RoceQueuePair> queuePairs = ConcurrentHashMap.newKeySet();
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

    @Override
    public Device device() {
        return device;
    }

    @Override
    public MemoryRegion register(MemorySegment segment, Access... access) {
        if (closed) {
            throw new FabricException(
                    Reason.CLOSED, "protection domain of " + device.name() + " is closed");
        }
        return device.regions().register(number, segment, Set.of(access));
    }

    @Override
    public void close() {
        int regions = device.regions().countIn(number);
        if (regions > 0 || !queuePairs.isEmpty()) {
            throw new FabricException(
                    Reason.IN_USE,
                    "protection domain of "
                            + device.name()
                            + " still has "
                            + regions
                            + " memory regions and "
                            + queuePairs.size()
                            + " queue pairs; close them first");
        }
        closed = true;
    }
}
