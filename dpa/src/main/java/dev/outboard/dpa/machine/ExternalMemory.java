package dev.outboard.dpa.machine;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/// DPA-HW-12, DPA-HW-15: the memory outside the process that it may reach. Host threads add and
/// remove regions and keys at any time.
public final class ExternalMemory {
    private static final long FIRST_ADDRESS = AddressMap.WINDOW | 0x1_0000;
    private static final int FIRST_KEY = 0x1000;

    /// The low byte of a key is its variant, as in libibverbs.
    private static final int KEY_STEP = 0x100;

    private final List<ExternalRegion> regions = new CopyOnWriteArrayList<>();
    private final KeyTable keys = new KeyTable();
    private final Arena arena;
    private long nextAddress = FIRST_ADDRESS;
    private int nextKey = FIRST_KEY;

    /// External memory without regions, with the life of `arena`.
    public ExternalMemory(Arena arena) {
        this.arena = arena;
    }

    /// Adds memory, which starts as zero. It begins at a page of its own.
    public ExternalRegion add(String name, ExternalKind kind, long lengthBytes) {
        if (kind == ExternalKind.MMIO) {
            throw new IllegalArgumentException(
                    "'%s' of kind MMIO needs the device whose registers it is".formatted(name));
        }
        return add(name, kind, allocate(name, lengthBytes), Optional.empty());
    }

    /// DPA-HW-15: adds memory that somebody else has, such as that of a GPU which is mapped.
    ///
    /// @param bytes native memory that any thread may access, at a multiple of 8; they have to stay
    ///   for as long as this is used
    public ExternalRegion add(String name, ExternalKind kind, MemorySegment bytes) {
        Thread other = Thread.ofVirtual().unstarted(() -> {});
        if (kind == ExternalKind.MMIO
                || !bytes.isNative()
                || bytes.address() % Long.BYTES != 0
                || bytes.byteSize() < 1
                || !bytes.isAccessibleBy(other)) {
            throw new IllegalArgumentException(
                    "%s memory '%s' has to be native bytes at a multiple of 8 that any thread may access, not %s"
                            .formatted(kind, name, bytes));
        }
        return add(name, kind, bytes, Optional.empty());
    }

    /// DPA-FXW-11: adds the registers of a device. They begin at a page of their own.
    public ExternalRegion addRegisters(String name, long lengthBytes, MmioDevice device) {
        return add(name, ExternalKind.MMIO, allocate(name, lengthBytes), Optional.of(device));
    }

    private MemorySegment allocate(String name, long lengthBytes) {
        if (lengthBytes < 1) {
            throw new IllegalArgumentException(
                    "External memory '%s' has at least 1 byte, not %d"
                            .formatted(name, lengthBytes));
        }
        return arena.allocate(lengthBytes, 64);
    }

    private synchronized ExternalRegion add(
            String name, ExternalKind kind, MemorySegment bytes, Optional<MmioDevice> device) {
        ExternalRegion region = new ExternalRegion(name, kind, nextAddress, bytes, device);
        // One page after each is nobody's.
        long pages = (bytes.byteSize() + AddressMap.PAGE_BYTES - 1) / AddressMap.PAGE_BYTES + 1;
        nextAddress += pages * AddressMap.PAGE_BYTES;
        regions.add(region);
        return region;
    }

    /// Takes a region away, of which no key is left. Its bytes are not touched any more.
    public void remove(ExternalRegion region) {
        regions.remove(region);
    }

    /// Makes a key for all of the region.
    public ExternalKey register(ExternalRegion region, Rights rights) {
        return register(region, 0, region.bytes().byteSize(), rights);
    }

    /// Makes a key for a part of the region.
    public synchronized ExternalKey register(
            ExternalRegion region, long offset, long lengthBytes, Rights rights) {
        int number = nextKey;
        nextKey += KEY_STEP;
        return register(number, region, offset, lengthBytes, rights, 0);
    }

    /// The same with a number that the caller has chosen, in a protection domain.
    public ExternalKey register(
            int number,
            ExternalRegion region,
            long offset,
            long lengthBytes,
            Rights rights,
            int domain) {
        if (offset < 0 || lengthBytes < 1 || offset > region.bytes().byteSize() - lengthBytes) {
            throw new IllegalArgumentException(
                    "'%s' has %d bytes: no key can be made for %d bytes from %d on"
                            .formatted(
                                    region.name(), region.bytes().byteSize(), lengthBytes, offset));
        }
        ExternalKey key = new ExternalKey(number, region, offset, lengthBytes, rights, domain);
        keys.put(key);
        return key;
    }

    /// Destroys a key. A window that is configured with it faults at its next access.
    public void destroy(ExternalKey key) {
        keys.remove(key);
        key.destroy();
    }

    /// The live key of that number.
    public Optional<ExternalKey> key(int number) {
        return Optional.ofNullable(keys.find(number));
    }

    /// The regions, in the order of their making.
    public List<ExternalRegion> regions() {
        return List.copyOf(regions);
    }

    /// The region that holds those bytes.
    ///
    /// @throws IndexOutOfBoundsException if none holds them all
    public ExternalRegion region(long address, long lengthBytes) {
        for (ExternalRegion region : regions) {
            if (region.contains(address, lengthBytes)) {
                return region;
            }
        }
        throw new IndexOutOfBoundsException(
                "No external memory has %d bytes at 0x%x: there are %s"
                        .formatted(lengthBytes, address, names()));
    }

    /// Whether a region holds that byte.
    public boolean holds(long address) {
        return regions.stream().anyMatch(region -> region.contains(address, 1));
    }

    private List<String> names() {
        List<String> names = new ArrayList<>();
        for (ExternalRegion region : regions) {
            names.add(
                    "'%s' (0x%x, %d bytes)"
                            .formatted(region.name(), region.address(), region.bytes().byteSize()));
        }
        return names;
    }
}
