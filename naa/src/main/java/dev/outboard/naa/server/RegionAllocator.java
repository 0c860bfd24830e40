package dev.outboard.naa.server;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Where the memory of regions comes from: from this host, or from what computes on them. Called
/// when a client asks for its regions, by the thread of the client.
public interface RegionAllocator {
    /// From this host, in whole pages.
    RegionAllocator ON_HOST =
            (arena, _, bytes) -> arena.allocate(bytes, RegionAllocator.PAGE_BYTES);

    /// The bytes of a page.
    long PAGE_BYTES = 4096;

    /// Takes memory for a region, or for several that overlap in the NAA's memory.
    ///
    /// @param arena of the client: what comes from it lasts as long as the client is connected, as
    ///   anything else has to
    /// @param naaAddress where it lies in the NAA's memory, which tells its bank, too; see
    ///   [dev.outboard.naa.NaaMemory]
    /// @param bytes a multiple of 4096
    /// @return native memory of so many bytes that any thread may access, zero-filled, at a
    ///   multiple of 8
    /// @throws OutOfMemoryError if there is not enough, which refuses the client
    MemorySegment allocate(Arena arena, long naaAddress, long bytes);
}
