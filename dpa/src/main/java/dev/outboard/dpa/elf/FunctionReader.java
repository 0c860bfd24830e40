package dev.outboard.dpa.elf;

import dev.outboard.dpa.elf.DebugFunction.Parameter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Makes functions of entries. What is inlined somewhere has an entry of its own, which the entries
/// of its copies refer to.
final class FunctionReader {
    private final TypeReader types;
    private final ScopeMap scopes = new ScopeMap();
    private final Map<DebugEntry, DebugFunction> declared = new HashMap<>();

    FunctionReader(TypeReader types) {
        this.types = types;
    }

    /// The functions that are defined, each once.
    List<DebugFunction> readAll(List<DebugEntry> entries) {
        Set<DebugEntry> copied = new HashSet<>();
        for (DebugEntry entry : entries) {
            if (entry.tag() == Tag.FUNCTION && entry.origin() != entry) {
                copied.add(entry.origin());
            }
        }
        List<DebugFunction> functions = new ArrayList<>();
        for (DebugEntry entry : entries) {
            if (entry.tag() == Tag.INLINED) {
                for (AddressRange range : entry.code()) {
                    scopes.addInlined(range, entry.origin().text(Tag.NAME), entry.call());
                }
            } else if (entry.tag() == Tag.FUNCTION
                    && !entry.has(Tag.DECLARATION)
                    && !copied.contains(entry)) {
                functions.add(function(entry));
            }
        }
        return functions;
    }

    /// Where each of them is, inlined ones included.
    ScopeMap scopes() {
        return scopes;
    }

    private DebugFunction function(DebugEntry entry) {
        DebugFunction function = declared.computeIfAbsent(entry.origin(), this::declared);
        List<AddressRange> code = entry.code();
        code.forEach(range -> scopes.add(range, function.name()));
        return new DebugFunction(
                function.place(),
                code.isEmpty() ? AddressRange.NONE : code.getFirst(),
                function.result(),
                function.parameters(),
                function.isVariadic(),
                function.markers());
    }

    private DebugFunction declared(DebugEntry entry) {
        List<Parameter> parameters = new ArrayList<>();
        boolean isVariadic = false;
        for (DebugEntry child : entry.children()) {
            if (child.tag() == Tag.PARAMETER) {
                parameters.add(new Parameter(child.text(Tag.NAME), types.typeOf(child)));
            }
            isVariadic |= child.tag() == Tag.MORE_PARAMETERS;
        }
        return new DebugFunction(
                entry.place(),
                AddressRange.NONE,
                types.typeOf(entry),
                List.copyOf(parameters),
                isVariadic,
                TypeReader.markers(entry));
    }
}
