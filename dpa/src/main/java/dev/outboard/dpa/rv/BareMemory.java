package dev.outboard.dpa.rv;

import dev.outboard.dpa.elf.AddressRange;
import dev.outboard.dpa.elf.ElfException;
import dev.outboard.dpa.elf.ElfSegment;
import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.memory.DpaMemory;
import dev.outboard.dpa.machine.memory.FaultSignal;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The memory of a bare program: what its segments ask for, in pages, wherever they lie, and a
/// stack.
final class BareMemory {
    /// The stack of a bare program.
    static final long STACK_BYTES = 1 << 20;

    /// The address after its last byte.
    static final long STACK_END = AddressMap.STACKS + AddressMap.PAGE_BYTES + STACK_BYTES;

    /// The most that the segments of a program may take, in all.
    static final long MOST_BYTES = 256L << 20;

    private static final long PAGE_MASK = AddressMap.PAGE_BYTES - 1;
    private static final AddressRange GUARD =
            new AddressRange(AddressMap.STACKS, AddressMap.STACKS + AddressMap.PAGE_BYTES);
    private static final AddressRange STACK = new AddressRange(GUARD.to(), STACK_END);

    /// Pages in a row.
    record Pages(AddressRange range, MemorySegment bytes, boolean writable) {}

    private final List<Pages> all = new ArrayList<>();

    /// Where the latest access was.
    private Pages latest;

    /// @throws ElfException if there is not that much memory
    BareMemory(List<ElfSegment> segments) {
        List<ElfSegment> sorted =
                segments.stream().sorted(Comparator.comparingLong(ElfSegment::address)).toList();
        sorted.forEach(BareMemory::check);
        Arena arena = Arena.ofAuto();
        latest = new Pages(STACK, arena.allocate(STACK_BYTES, Long.BYTES), true);
        all.add(latest);
        long left = MOST_BYTES;
        for (int i = 0; i < sorted.size(); ) {
            AddressRange range = pages(sorted.get(i));
            int next = i + 1;
            while (next < sorted.size() && pages(sorted.get(next)).from() < range.to()) {
                long to = Math.max(range.to(), pages(sorted.get(next)).to());
                range = new AddressRange(range.from(), to);
                next++;
            }
            left -= range.sizeBytes();
            if (left < 0) {
                throw new ElfException(
                        "The program wants more than %d MiB of memory; that is the most that it may have"
                                .formatted(MOST_BYTES >> 20));
            }
            all.add(loaded(arena, range, sorted.subList(i, next)));
            i = next;
        }
    }

    private static void check(ElfSegment segment) {
        AddressRange range = segment.range();
        if (range.from() < 0 || range.to() < 0) {
            throw new ElfException(
                    "The segment %s lies outside; bare programs lie below 0x8000000000000000"
                            .formatted(range));
        }
        if (range.from() < STACK.to() && range.to() > GUARD.from()) {
            throw new ElfException(
                    "The segment %s lies where the stack is, %s".formatted(range, STACK));
        }
    }

    private static AddressRange pages(ElfSegment segment) {
        AddressRange range = segment.range();
        return new AddressRange(range.from() & ~PAGE_MASK, (range.to() + PAGE_MASK) & ~PAGE_MASK);
    }

    private static Pages loaded(Arena arena, AddressRange range, List<ElfSegment> segments) {
        MemorySegment bytes = arena.allocate(range.sizeBytes(), Long.BYTES);
        boolean writable = false;
        for (ElfSegment segment : segments) {
            byte[] content = segment.bytes();
            long offset = segment.address() - range.from();
            MemorySegment.copy(MemorySegment.ofArray(content), 0, bytes, offset, content.length);
            writable |= segment.writable();
        }
        return new Pages(range, bytes, writable);
    }

    /// The pages of an access.
    ///
    /// @throws FaultSignal if it is none that the program may make
    Pages reach(long address, int lengthBytes, boolean store) {
        DpaMemory.checkAligned(address, lengthBytes, store);
        Pages pages = at(address);
        if (pages == null) {
            if (GUARD.contains(address)) {
                throw new FaultSignal(
                        Fault.STACK_OVERFLOW,
                        address,
                        lengthBytes,
                        "in the guard page of the stack");
            }
            throw new FaultSignal(
                    store ? Fault.BAD_STORE : Fault.BAD_LOAD, address, lengthBytes, "");
        }
        if (store && !pages.writable) {
            throw new FaultSignal(Fault.READ_ONLY, address, lengthBytes, "");
        }
        return pages;
    }

    private @Nullable Pages at(long address) {
        Pages recent = latest;
        if (recent.range.contains(address)) {
            return recent;
        }
        for (Pages pages : all) {
            if (pages.range.contains(address)) {
                latest = pages;
                return pages;
            }
        }
        return null;
    }
}
