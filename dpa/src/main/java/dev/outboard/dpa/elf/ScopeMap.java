package dev.outboard.dpa.elf;

import dev.outboard.dpa.machine.CodePlace;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The functions by address: what is added later lies inside what was added before.
final class ScopeMap {
    private static final Scope NOWHERE = new Scope("", CodePlace.NONE, null);

    /// A function, or what of it stands in another one that it is inlined into.
    ///
    /// @param name of the function
    /// @param call where the other one calls it, in the source
    /// @param caller the other one
    record Scope(String name, CodePlace call, @Nullable Scope caller) {}

    /// From its key to the next one.
    private final NavigableMap<Long, Scope> scopes = new TreeMap<>(Long::compareUnsigned);

    void add(AddressRange range, String name) {
        put(range, new Scope(name, CodePlace.NONE, null));
    }

    void addInlined(AddressRange range, String name, CodePlace call) {
        put(range, new Scope(name, call, at(range.from())));
    }

    private void put(AddressRange range, Scope scope) {
        if (range.sizeBytes() == 0) {
            return;
        }
        Scope after = at(range.to());
        scopes.subMap(range.from(), range.to()).clear();
        scopes.put(range.from(), scope);
        scopes.put(range.to(), after);
    }

    /// The innermost one; one without a name if there is none.
    Scope at(long address) {
        Map.Entry<Long, Scope> entry = scopes.floorEntry(address);
        return entry == null ? NOWHERE : entry.getValue();
    }
}
