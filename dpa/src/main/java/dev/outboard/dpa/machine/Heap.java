package dev.outboard.dpa.machine;

import java.lang.foreign.MemorySegment;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.TreeMap;

/// DPA-FXH-1, DPA-HW-11: the heap of a process, as its host sees it: blocks. Its content stays as
/// long as the process lives. Any thread of the host may use it; device code does not allocate.
public final class Heap {
    /// DPA-FXH-2: what a block begins at.
    private static final long ALIGNMENT = 64;

    /// What a new block is filled with in checked runs.
    public static final byte POISON = (byte) 0xA5;

    private final MemorySegment bytes;
    private final boolean poison;
    private final Observer observer;

    /// Length of each live block, by its address.
    private final NavigableMap<Long, Long> live = new TreeMap<>();

    /// Length of each hole, by its address; neighbours are always merged.
    private final NavigableMap<Long, Long> holes = new TreeMap<>();

    /// A heap without blocks.
    ///
    /// @param poison whether what is allocated holds a pattern
    public Heap(MemorySegment bytes, boolean poison, Observer observer) {
        this.bytes = bytes;
        this.poison = poison;
        this.observer = observer;
        if (bytes.byteSize() > 0) {
            holes.put(AddressMap.HEAP, bytes.byteSize());
        }
    }

    /// DPA-FXH-2: takes a block, aligned to 64 bytes. It is not zeroed, and poisoned in checked
    /// runs.
    ///
    /// DPA-ERR-12: too much is no error of the process.
    ///
    /// @return its address, or 0 if no hole is large enough
    public synchronized long allocate(long lengthBytes) {
        if (lengthBytes < 1) {
            throw new IllegalArgumentException("A block has at least 1 byte, not " + lengthBytes);
        }
        if (lengthBytes > bytes.byteSize()) {
            return 0;
        }
        long taken = (lengthBytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        long address = takeHole(taken);
        if (address != 0) {
            live.put(address, lengthBytes);
            if (poison) {
                bytes.asSlice(address - AddressMap.HEAP, lengthBytes).fill(POISON);
            }
            observer.allocate(address, lengthBytes, 0);
        }
        return address;
    }

    /// Takes the bytes from the first hole that has them.
    private long takeHole(long taken) {
        Iterator<Map.Entry<Long, Long>> i = holes.entrySet().iterator();
        while (i.hasNext()) {
            Map.Entry<Long, Long> hole = i.next();
            long address = hole.getKey();
            long rest = hole.getValue() - taken;
            if (rest >= 0) {
                i.remove();
                if (rest > 0) {
                    holes.put(address + taken, rest);
                }
                return address;
            }
        }
        return 0;
    }

    /// DPA-FXH-3: gives a block back.
    ///
    /// DPA-ERR-11: what is no live block changes nothing.
    ///
    /// @return whether the address was 0 or the start of a live block
    public synchronized boolean free(long address) {
        if (address == 0) {
            return true;
        }
        Long lengthBytes = live.remove(address);
        if (lengthBytes == null) {
            return false;
        }
        long start = address;
        long end = address + (lengthBytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        Map.Entry<Long, Long> before = holes.floorEntry(start);
        if (before != null && before.getKey() + before.getValue() == start) {
            start = before.getKey();
        }
        Long after = holes.remove(end);
        if (after != null) {
            end += after;
        }
        holes.put(start, end - start);
        observer.free(address, 0);
        return true;
    }

    /// Whether all those bytes lie in one live block.
    public synchronized boolean isLive(long address, long lengthBytes) {
        Map.Entry<Long, Long> block = live.floorEntry(address);
        return block != null && address - block.getKey() <= block.getValue() - lengthBytes;
    }

    /// The address of the live block that holds that byte, if one does.
    public synchronized OptionalLong blockAt(long address) {
        Map.Entry<Long, Long> block = live.floorEntry(address);
        return block != null && address - block.getKey() < block.getValue()
                ? OptionalLong.of(block.getKey())
                : OptionalLong.empty();
    }

    /// How many bytes the live block at that address has; 0 if there is none.
    public synchronized long lengthOf(long block) {
        return live.getOrDefault(block, 0L);
    }

    /// How many bytes live blocks take, with those behind each that nobody else can have.
    public synchronized long takenBytes() {
        return bytes.byteSize() - holes.values().stream().mapToLong(Long::longValue).sum();
    }

    /// How many bytes live blocks have.
    public synchronized long allocatedBytes() {
        return live.values().stream().mapToLong(Long::longValue).sum();
    }
}
