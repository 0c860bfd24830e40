package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.roce.memory.RegionTable;
import dev.outboard.fabric.roce.memory.RegisteredRegion;
import org.jspecify.annotations.Nullable;

/// What the peer of a queue pair may touch: the one place where a key of a peer opens memory.
final class RemoteMemory {
    private final RegionTable regions;
    private final int domain;

    RemoteMemory(RegionTable regions, int domain) {
        this.regions = regions;
        this.domain = domain;
    }

    /// The region that holds all `length` bytes from `address`, if `key` opens it for `right`
    /// (roce.md 3.11: key, domain, right and range, in that order); otherwise null.
    @Nullable RegisteredRegion find(int key, long address, long length, Access right) {
        RegisteredRegion region = regions.find(key);
        return region != null
                        && region.domain() == domain
                        && region.permits(right)
                        && region.covers(region.offsetOf(address), length)
                ? region
                : null;
    }
}
