package dev.outboard.dpa.elf;

import dev.outboard.dpa.elf.ScopeMap.Scope;
import dev.outboard.dpa.machine.CodePlace;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What a compiler tells about the source of a program (DWARF 4 and 5). Immutable; any thread may
/// use it. Empty if the program was compiled without it.
public final class DebugInfo {
    private static final int MOST_INLINED = 64;

    private final LineTable lines;
    private final ScopeMap scopes;
    private final List<DebugFunction> functions;
    private final List<DebugType> types;

    DebugInfo(
            LineTable lines,
            ScopeMap scopes,
            List<DebugFunction> functions,
            List<DebugType> types) {
        this.lines = lines;
        this.scopes = scopes;
        this.functions = List.copyOf(functions);
        this.types = List.copyOf(types);
    }

    /// @param code where code may run: the linker leaves entries of what it dropped at other places
    static DebugInfo read(ElfFile file, List<AddressRange> code) {
        return new DebugReader(file, code).read();
    }

    /// DPA-CC-17: where in the source the instruction comes from, and the function that it stands
    /// in there, even if that is inlined into another one; [CodePlace#NONE] if that is not known.
    public CodePlace place(long pc) {
        return lines.place(pc, scopes.at(pc).name());
    }

    /// That place, then where that function is called that is inlined there, and so on outwards.
    public List<CodePlace> places(long pc) {
        List<CodePlace> places = new ArrayList<>();
        places.add(place(pc));
        Scope scope = scopes.at(pc);
        for (Scope caller = scope.caller();
                caller != null && places.size() < MOST_INLINED;
                caller = scope.caller()) {
            CodePlace call = scope.call();
            places.add(new CodePlace(call.file(), call.line(), call.column(), caller.name()));
            scope = caller;
        }
        return places;
    }

    /// Where code of a line of source begins, in ascending order; empty if it has none.
    ///
    /// @param file its name, as far to the left as is needed to tell it from others
    public List<Long> addresses(String file, int line) {
        return lines.addresses(file, line);
    }

    /// The functions that are defined in it, in the order of the sources.
    public List<DebugFunction> functions() {
        return functions;
    }

    /// The types that it uses, in the order of the sources. A type of several source files is there
    /// several times.
    public List<DebugType> types() {
        return types;
    }

    /// The function whose code contains the instruction.
    public Optional<DebugFunction> function(long pc) {
        return functions.stream().filter(function -> function.code().contains(pc)).findFirst();
    }
}
