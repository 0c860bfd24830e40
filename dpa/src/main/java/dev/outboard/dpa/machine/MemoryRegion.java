package dev.outboard.dpa.machine;

import java.lang.foreign.MemorySegment;

/// A piece of the memory of a process, for whoever looks at what is left of it.
///
/// @param name `globals`, `heap`, or `stack` and the number of its thread
/// @param bytes what it holds, to be read only
public record MemoryRegion(String name, long address, MemorySegment bytes) {}
