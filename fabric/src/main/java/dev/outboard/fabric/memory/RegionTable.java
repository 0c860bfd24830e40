package dev.outboard.fabric.memory;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.MemoryWatch;
import dev.outboard.fabric.MemoryWindow;
import dev.outboard.fabric.MmioHandler;
import dev.outboard.fabric.table.KeyedTable;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// The memory keys of a device: of regions, and of windows onto them. Keys are drawn at random from
/// the whole 32-bit space, so that a peer cannot guess one from another; key 0 is never given out.
/// The high 24 bits of a key are its index, different for all; the low eight bits of a window's key
/// change whenever it is bound (roce.md 3.11).
///
/// Control threads register and remove; the thread that drives the device looks keys up without a
/// lock.
public final class RegionTable {
    private static final int KEY_PART_BITS = 8;

    private final int maxKeys;
    private final RandomGenerator random;
    private final @Nullable Placement placement;
    private final CallFailures watchFailures = new CallFailures("the watch of a memory region");
    private final CallFailures mmioFailures =
            new CallFailures("the handler of a region of registers");

    /// By index.
    private final KeyedTable<KeyHolder> holders = new KeyedTable<>();

    private final Set<AllocatedWindow> windows = new HashSet<>();
    private final Map<Integer, Integer> regionsByDomain = new HashMap<>();

    /// Made when it is first needed, by the thread that drives the device.
    private @Nullable Staging staging;

    /// An empty table.
    ///
    /// @param random where keys come from; on the live path a secure source
    public RegionTable(int maxKeys, RandomGenerator random) {
        this(maxKeys, random, null);
    }

    /// An empty table of a device whose memory system shows writes out of order.
    ///
    /// @param placement decides when; null for in order
    public RegionTable(int maxKeys, RandomGenerator random, @Nullable Placement placement) {
        this.maxKeys = maxKeys;
        this.random = random;
        this.placement = placement;
    }

    /// Registers `segment` in protection domain `domain`.
    ///
    /// @throws FabricException if the memory or the combination of rights cannot be registered
    ///   (roce.md 3.11)
    public RegisteredRegion register(int domain, MemorySegment segment, Set<Access> access) {
        return register(domain, segment, null, access);
    }

    /// Registers `segment` in protection domain `domain`, and tells `watch` of each access.
    ///
    /// @throws FabricException if the memory or the combination of rights cannot be registered
    public RegisteredRegion register(
            int domain, MemorySegment segment, @Nullable MemoryWatch watch, Set<Access> access) {
        check(segment, access);
        return add(domain, RegionContent.of(segment, watch), access);
    }

    /// Registers `segment` in protection domain `domain` under other addresses than its own.
    ///
    /// @param address of its first byte
    /// @throws FabricException if the memory or the combination of rights cannot be registered
    public RegisteredRegion register(
            int domain, MemorySegment segment, long address, Set<Access> access) {
        check(segment, access);
        if (access.contains(Access.REMOTE_ATOMIC) && (address - segment.address()) % 8 != 0) {
            throw invalid(
                    "atomic operations need addresses that differ from those of the memory by a multiple of 8; 0x%x and 0x%x do not"
                            .formatted(address, segment.address()));
        }
        return add(domain, RegionContent.of(segment, address), access);
    }

    /// Registers `length` bytes of registers in protection domain `domain`.
    ///
    /// @throws FabricException if the length or the combination of rights cannot be registered
    public RegisteredRegion registerMmio(
            int domain, long length, MmioHandler registers, Set<Access> access) {
        checkRights(access);
        if (access.contains(Access.REMOTE_ATOMIC)) {
            throw invalid("registers take no atomic operations");
        }
        return add(domain, RegionContent.of(length, registers), access);
    }

    /// Registers `length` bytes from `offset` of `memory` in protection domain `domain`.
    ///
    /// @throws FabricException if the part or the combination of rights cannot be registered
    public RegisteredRegion register(
            int domain,
            AllocatedDeviceMemory memory,
            long offset,
            long length,
            Set<Access> access) {
        checkRights(access);
        MemorySegment part = memory.join(offset, length, access);
        try {
            return add(domain, RegionContent.of(part, memory), access);
        } catch (FabricException e) {
            memory.left();
            throw e;
        }
    }

    private synchronized RegisteredRegion add(
            int domain, RegionContent content, Set<Access> access) {
        RegisteredRegion region = new RegisteredRegion(this, domain, freshKey(), content, access);
        holders.add(index(region.remoteKey()), region);
        regionsByDomain.merge(domain, 1, Integer::sum);
        return region;
    }

    /// Allocates a window of protection domain `domain`, bound to nothing.
    public synchronized AllocatedWindow allocateWindow(int domain, MemoryWindow.Type type) {
        AllocatedWindow window = new AllocatedWindow(this, domain, type, freshKey());
        holders.add(index(window.remoteKey()), window);
        windows.add(window);
        return window;
    }

    /// The region that holds all `length` bytes from `address`, if `key` opens it for the peer of
    /// queue pair `queuePair` in `domain` to do what `right` stands for; otherwise null. Neither
    /// locks nor allocates.
    ///
    /// ROCE-MR-1: a key opens what it was made for, in its domain, with its rights and bounds.
    public @Nullable RegisteredRegion open(
            int key, int domain, int queuePair, long address, long length, Access right) {
        KeyHolder holder = find(key);
        return holder == null ? null : holder.open(domain, queuePair, address, length, right);
    }

    /// Takes back `key`, which must be that of a window of type 2B that queue pair `queuePair` in
    /// `domain` bound; false if it is not.
    public boolean invalidate(int key, int domain, int queuePair) {
        return find(key) instanceof AllocatedWindow window
                && window.invalidate(domain, queuePair, key);
    }

    /// The queue pair is gone, or has been reset: the windows that it bound for its peer are void.
    public synchronized void queuePairGone(int number) {
        windows.forEach(window -> window.queuePairGone(number));
    }

    private @Nullable KeyHolder find(int key) {
        KeyHolder holder = holders.find(index(key));
        return holder != null && holder.remoteKey() == key ? holder : null;
    }

    /// Whether `region` came from this table.
    public boolean owns(MemoryRegion region) {
        return region instanceof RegisteredRegion registered && registered.isOf(this);
    }

    /// Whether `window` came from this table.
    public boolean owns(MemoryWindow window) {
        return window instanceof AllocatedWindow allocated && allocated.isOf(this);
    }

    /// How many regions of `domain` are registered.
    public synchronized int regionsIn(int domain) {
        return regionsByDomain.getOrDefault(domain, 0);
    }

    /// How many windows of `domain` are allocated.
    public synchronized int windowsIn(int domain) {
        return (int) windows.stream().filter(window -> window.domain() == domain).count();
    }

    /// Everything written so far can be seen when this returns: something is about to complete. The
    /// thread that drives the device.
    public void settle() {
        if (placement != null) {
            placement.settle();
        }
    }

    /// Puts how many regions there are, and what went wrong in calls of the application, into
    /// `into`.
    public synchronized void countersTo(Map<String, Long> into) {
        into.put("memory.watch-failures", watchFailures.count());
        into.put("memory.mmio-failures", mmioFailures.count());
        into.put(
                "open.memory-regions",
                regionsByDomain.values().stream().mapToLong(Integer::longValue).sum());
    }

    @Nullable Placement placement() {
        return placement;
    }

    CallFailures watchFailures() {
        return watchFailures;
    }

    CallFailures mmioFailures() {
        return mmioFailures;
    }

    Staging staging() {
        Staging made = staging;
        if (made == null) {
            made = new Staging();
            staging = made;
        }
        return made;
    }

    synchronized void remove(RegisteredRegion region) {
        holders.remove(index(region.remoteKey()));
        regionsByDomain.merge(region.domain(), -1, Integer::sum);
    }

    synchronized void remove(AllocatedWindow window) {
        holders.remove(index(window.remoteKey()));
        windows.remove(window);
    }

    private static int index(int key) {
        return key >>> KEY_PART_BITS;
    }

    /// A key whose index is free. Index 0 is not given out, so that no key can become 0.
    private int freshKey() {
        if (holders.size() == maxKeys) {
            throw new FabricException(
                    Reason.LIMIT_REACHED,
                    "all " + maxKeys + " memory keys of the device are in use");
        }
        int key = random.nextInt();
        while (index(key) == 0 || holders.find(index(key)) != null) {
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
        checkRights(access);
    }

    /// ROCE-MR-2: peers may change only what this side may change.
    private static void checkRights(Set<Access> access) {
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
