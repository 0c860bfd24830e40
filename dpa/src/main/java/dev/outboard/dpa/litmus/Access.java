package dev.outboard.dpa.litmus;

/// What a statement accesses: `M[x]` is all of a variable, `M4[x+4]` are 4 bytes of it.
///
/// @param offset of the first byte in the variable; offset and variable together are aligned
/// @param sizeBytes 1, 2, 4 or 8
public record Access(Place place, Via via, String variable, int offset, int sizeBytes) {}
