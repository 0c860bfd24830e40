package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.roce.memory.RegionTable;
import dev.outboard.fabric.roce.memory.RegisteredRegion;
import dev.outboard.fabric.roce.queue.QueuePairCore;
import org.jspecify.annotations.Nullable;

/// What the peer of a queue pair may touch: the one place where a key of a peer opens memory.
final class RemoteMemory {
    private final RegionTable regions;
    private final int domain;
    private final int queuePair;

    RemoteMemory(QueuePairCore core) {
        regions = core.regions();
        domain = core.domain();
        queuePair = core.number();
    }

    /// The region that holds all `length` bytes from `address`, if `key` opens it for `right`
    /// (roce.md 3.11: key, domain, right and range, in that order); otherwise null.
    @Nullable RegisteredRegion find(int key, long address, long length, Access right) {
        return regions.open(key, domain, queuePair, address, length, right);
    }

    /// Takes back a key of ours that the peer names; false if it is none that a peer may.
    boolean invalidate(int key) {
        return regions.invalidate(key, domain, queuePair);
    }
}
