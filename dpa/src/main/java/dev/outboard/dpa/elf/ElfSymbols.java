package dev.outboard.dpa.elf;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/// The symbols of a program, in the order of its symbol table. Immutable.
public final class ElfSymbols {
    private final List<ElfSymbol> all;
    private final List<ElfSegment> segments;
    private final Map<String, ElfSymbol> byName = new HashMap<>();
    private final NavigableMap<Long, ElfSymbol> sized = new TreeMap<>(Long::compareUnsigned);
    private final NavigableMap<Long, ElfSymbol> unsized = new TreeMap<>(Long::compareUnsigned);

    /// Of several symbols with one name the last wins: global ones follow local ones.
    ElfSymbols(List<ElfSymbol> all, List<ElfSegment> segments) {
        this.all = List.copyOf(all);
        this.segments = segments;
        for (ElfSymbol symbol : all) {
            byName.put(symbol.name(), symbol);
            (symbol.sizeBytes() == 0 ? unsized : sized).put(symbol.address(), symbol);
        }
    }

    /// All of them.
    public List<ElfSymbol> all() {
        return all;
    }

    /// The symbol of that name.
    public Optional<ElfSymbol> named(String name) {
        return Optional.ofNullable(byName.get(name));
    }

    /// What the address belongs to: the function or object that contains it, or the label before it
    /// in the same segment, if no function or object ends in between.
    public Optional<ElfSymbol> at(long address) {
        Map.Entry<Long, ElfSymbol> container = sized.floorEntry(address);
        if (container != null && container.getValue().contains(address)) {
            return Optional.of(container.getValue());
        }
        Map.Entry<Long, ElfSymbol> label = unsized.floorEntry(address);
        if (label == null
                || (container != null && isBeforeEnd(label.getKey(), container.getValue()))
                || !isOneSegment(label.getKey(), address)) {
            return Optional.empty();
        }
        return Optional.of(label.getValue());
    }

    private static boolean isBeforeEnd(long label, ElfSymbol container) {
        return Long.compareUnsigned(label, container.address()) < 0 || container.contains(label);
    }

    private boolean isOneSegment(long label, long address) {
        return segments.stream()
                .map(ElfSegment::range)
                .anyMatch(range -> range.contains(label) && range.contains(address));
    }
}
