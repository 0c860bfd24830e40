package dev.outboard.dpa.elf;

import dev.outboard.dpa.machine.CodePlace;
import java.util.List;
import java.util.Set;

/// A function of a C program.
///
/// @param place where it is declared, and its name
/// @param code where its code lies; empty if it was only inlined, or dropped by the linker
/// @param result the type that it returns
/// @param parameters its parameters, in their order
/// @param isVariadic whether it takes any number of arguments after them
/// @param markers the markers (declaration tags) on it, as in `dpa_rpc`
public record DebugFunction(
        CodePlace place,
        AddressRange code,
        DebugType result,
        List<Parameter> parameters,
        boolean isVariadic,
        Set<String> markers) {

    /// What a function takes.
    ///
    /// @param name its name; empty if it has none
    /// @param type its type
    public record Parameter(String name, DebugType type) {}

    /// Its name.
    public String name() {
        return place.function();
    }
}
