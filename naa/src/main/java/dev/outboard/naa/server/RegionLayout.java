package dev.outboard.naa.server;

import dev.outboard.naa.MrspMessage.Entry;
import dev.outboard.naa.NaaMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Where the regions of one client lie in the NAA's memory: where it asks for them. Regions that
/// overlap there share their bytes.
///
/// NAA-ADDR-4: if more than one region asks for address 0, none of these cares where it lies; that
/// is how clients of `ap1-2023` say so. They get the first free pages.
final class RegionLayout {
    private static final long PAGE_BYTES = RegionAllocator.PAGE_BYTES;

    private final List<Entry> entries;
    private final long[] addresses;

    private RegionLayout(List<Entry> entries) {
        this.entries = entries;
        this.addresses = entries.stream().mapToLong(Entry::naaAddress).toArray();
    }

    /// The memory of a region, and its pages if it shares them with no other.
    record Piece(MemorySegment memory, Optional<MemorySegment> pages) {}

    /// Lays out what a client asks for.
    ///
    /// @param entries each of which fits into the memory where it asks
    /// @return empty if there is no room for a region that may lie anywhere
    static Optional<RegionLayout> of(List<Entry> entries, NaaMemory memory) {
        RegionLayout layout = new RegionLayout(entries);
        List<Integer> atZero =
                layout.indexes()
                        .filter(i -> layout.occupies(i) && layout.addresses[i] == 0)
                        .toList();
        if (atZero.size() < 2) {
            return Optional.of(layout);
        }
        List<Integer> placed =
                new ArrayList<>(layout.indexes().filter(i -> !atZero.contains(i)).toList());
        for (int index : atZero) {
            if (!layout.place(index, placed, memory)) {
                return Optional.empty();
            }
            placed.add(index);
        }
        return Optional.of(layout);
    }

    /// The NAA address of a region.
    long address(int index) {
        return addresses[index];
    }

    /// The memory of every region, zero-filled.
    ///
    /// NAA-MRSP-9: of the sizes announced.
    List<Piece> allocate(Arena arena, RegionAllocator allocator) {
        Piece[] pieces = new Piece[addresses.length];
        List<Integer> ascending =
                indexes().sorted(Comparator.comparingLong(i -> addresses[i])).toList();
        List<Integer> together = new ArrayList<>();
        long end = 0;
        for (int index : ascending) {
            if (!together.isEmpty() && addresses[index] >= end) {
                pieces(arena, allocator, together, end, pieces);
                together.clear();
            }
            end = together.isEmpty() ? end(index) : Math.max(end, end(index));
            together.add(index);
        }
        pieces(arena, allocator, together, end, pieces);
        return List.of(pieces);
    }

    /// Regions that overlap, in ascending order.
    private void pieces(
            Arena arena,
            RegionAllocator allocator,
            List<Integer> together,
            long end,
            Piece[] pieces) {
        long start = addresses[together.getFirst()];
        long pageBytes = Math.ceilDiv(end - start, PAGE_BYTES) * PAGE_BYTES;
        MemorySegment all = allocator.allocate(arena, start, pageBytes);
        boolean isShared = together.size() > 1 || pageBytes == 0;
        for (int index : together) {
            pieces[index] =
                    new Piece(
                            all.asSlice(addresses[index] - start, entries.get(index).size()),
                            isShared ? Optional.empty() : Optional.of(all));
        }
    }

    private boolean place(int index, List<Integer> placed, NaaMemory memory) {
        long size = entries.get(index).size();
        long bank = memory.bankBytes();
        long at = 0;
        while (at < memory.bytes()) {
            long candidate = at;
            Optional<Integer> inTheWay =
                    placed.stream()
                            .filter(other -> occupies(other) && overlaps(other, candidate, size))
                            .findFirst();
            if (inTheWay.isPresent()) {
                at = Math.ceilDiv(end(inTheWay.get()), PAGE_BYTES) * PAGE_BYTES;
            } else if (memory.holds(at, size)) {
                addresses[index] = at;
                return true;
            } else {
                at = (at / bank + 1) * bank;
            }
        }
        return false;
    }

    private boolean overlaps(int index, long address, long size) {
        return addresses[index] < address + size && address < end(index);
    }

    private boolean occupies(int index) {
        return entries.get(index).size() > 0;
    }

    private long end(int index) {
        return addresses[index] + entries.get(index).size();
    }

    private Stream<Integer> indexes() {
        return IntStream.range(0, addresses.length).boxed();
    }
}
