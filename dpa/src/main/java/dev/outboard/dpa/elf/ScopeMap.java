package dev.outboard.dpa.elf;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/// The names of functions by address: what is added later lies inside what was added before.
final class ScopeMap {
    /// From its key to the next one.
    private final NavigableMap<Long, String> names = new TreeMap<>(Long::compareUnsigned);

    void add(AddressRange range, String name) {
        if (range.sizeBytes() == 0) {
            return;
        }
        String after = at(range.to());
        names.subMap(range.from(), range.to()).clear();
        names.put(range.from(), name);
        names.put(range.to(), after);
    }

    /// The name; empty if there is none.
    String at(long address) {
        Map.Entry<Long, String> entry = names.floorEntry(address);
        return entry == null ? "" : entry.getValue();
    }
}
