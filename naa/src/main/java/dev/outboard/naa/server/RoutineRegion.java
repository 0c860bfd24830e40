package dev.outboard.naa.server;

import dev.outboard.naa.RegionFlags;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/// A memory region as a [Routine] sees it. It belongs to one connection; its content lasts from RPC
/// to RPC and starts as zeros.
///
/// NAA-ADDR-6: routines see the address that was asked for.
///
/// @param index 0 for the first parameter, or the first internal region
/// @param flags as the client announced them, see [RegionFlags]
/// @param naaAddress where it lies in the NAA's memory, 56 bits: where the client asked for it, or
///   where the server put it because the client does not care. Regions that overlap there share
///   their bytes.
/// @param memory the bytes; readable and writable from any thread until the connection ends
/// @param pages whole pages of 4096 bytes that begin with it and hold nothing else, for whoever
///   reaches memory by pages; empty if it shares bytes with another region, or has none
public record RoutineRegion(
        int index,
        int flags,
        long naaAddress,
        MemorySegment memory,
        Optional<MemorySegment> pages) {
    /// One without pages of its own.
    public RoutineRegion(int index, int flags, long naaAddress, MemorySegment memory) {
        this(index, flags, naaAddress, memory, Optional.empty());
    }

    /// The length in bytes.
    public long size() {
        return memory.byteSize();
    }

    /// Whether the client writes it.
    public boolean isInput() {
        return (flags & RegionFlags.INPUT) != 0;
    }

    /// Whether it is returned to the client.
    public boolean isOutput() {
        return (flags & RegionFlags.OUTPUT) != 0;
    }
}
