package dev.outboard.fabric.roce.memory;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// The memory keys of a device. Keys are drawn at random from the whole 32-bit space, so that a
/// peer cannot guess one from another; key 0 is never given out (roce.md 3.11).
///
/// Control threads register and remove; the thread that drives the device looks keys up without a
/// lock.
public final class RegionTable {
    private final int maxRegions;
    private final RandomGenerator random;
    private final KeyedTable<RegisteredRegion> regions = new KeyedTable<>();
    private final Map<Integer, Integer> countByDomain = new HashMap<>();

    /// An empty table.
    ///
    /// @param random where keys come from; on the live path a secure source
    public RegionTable(int maxRegions, RandomGenerator random) {
        this.maxRegions = maxRegions;
        this.random = random;
    }

    /// Registers `segment` in protection domain `domain`.
    ///
    /// @throws FabricException if the memory or the combination of rights cannot be registered
    ///   (roce.md 3.11)
    public synchronized RegisteredRegion register(
            int domain, MemorySegment segment, Set<Access> access) {
        check(segment, access);
        if (regions.size() == maxRegions) {
            throw new FabricException(
                    Reason.LIMIT_REACHED,
                    "all " + maxRegions + " memory regions of the device are registered");
        }
        RegisteredRegion region = new RegisteredRegion(this, domain, freshKey(), segment, access);
        regions.add(region.remoteKey(), region);
        countByDomain.merge(domain, 1, Integer::sum);
        return region;
    }

    /// The region with exactly this key, or null. Any thread; neither locks nor allocates.
    public @Nullable RegisteredRegion find(int key) {
        return regions.find(key);
    }

    /// Whether `region` came from this table.
    public boolean owns(MemoryRegion region) {
        return region instanceof RegisteredRegion registered && registered.isOf(this);
    }

    /// How many regions of `domain` are registered.
    public synchronized int countIn(int domain) {
        return countByDomain.getOrDefault(domain, 0);
    }

    synchronized void remove(RegisteredRegion region) {
        regions.remove(region.remoteKey());
        countByDomain.merge(region.domain(), -1, Integer::sum);
    }

    private int freshKey() {
        int key = random.nextInt();
        while (key == 0 || find(key) != null) {
            key = random.nextInt();
        }
        return key;
    }

    private static void check(MemorySegment segment, Set<Access> access) {
        if (!segment.isNative()) {
            throw invalid("the segment is on the Java heap; allocate it from an Arena");
        }
        if (!segment.isAccessibleBy(ANOTHER_THREAD)) {
            throw invalid(
                    "the segment is confined to one thread; use Arena.ofShared, ofAuto or global");
        }
        if (segment.isReadOnly() && access.contains(Access.LOCAL_WRITE)) {
            throw invalid("the segment is read-only but " + access + " was asked for");
        }
        for (Access writing : List.of(Access.REMOTE_WRITE, Access.REMOTE_ATOMIC)) {
            if (access.contains(writing) && !access.contains(Access.LOCAL_WRITE)) {
                throw invalid(writing + " needs LOCAL_WRITE as well");
            }
        }
    }

    private static FabricException invalid(String why) {
        return new FabricException(Reason.INVALID_ARGUMENT, "cannot register memory: " + why);
    }

    /// Never started: it stands for the threads that will drive the device.
    private static final Thread ANOTHER_THREAD = Thread.ofPlatform().unstarted(() -> {});
}
