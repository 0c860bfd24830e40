package dev.outboard.dpa.elf;

/// A name in a program.
///
/// @param name as the linker knows it
/// @param address where it lies
/// @param sizeBytes how long it is; 0 where that is not known
/// @param kind what it names
public record ElfSymbol(String name, long address, long sizeBytes, Kind kind) {

    /// What a symbol names.
    public enum Kind {
        /// Code.
        FUNCTION,
        /// Data.
        OBJECT,
        /// A place: a label in assembly code, or a symbol of the linker script.
        LABEL
    }

    boolean contains(long place) {
        return Long.compareUnsigned(place - address, sizeBytes) < 0;
    }
}
