package dev.outboard.dpa.rv;

import java.util.ArrayList;
import java.util.List;

/// Where a compiled region calls the machine, which may throw something.
final class RegionPlaces {
    private final List<Long> addresses = new ArrayList<>();
    private final List<Integer> dirty = new ArrayList<>();

    /// A new place.
    ///
    /// @param address of the instruction
    /// @param registers that are in local variables only, as bits
    /// @return its number
    int add(long address, int registers) {
        addresses.add(address);
        dirty.add(registers);
        return addresses.size() - 1;
    }

    /// The addresses of all.
    long[] addresses() {
        return addresses.stream().mapToLong(Long::longValue).toArray();
    }

    /// The registers of all.
    int[] dirty() {
        return dirty.stream().mapToInt(Integer::intValue).toArray();
    }
}
