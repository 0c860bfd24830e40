package dev.outboard.fabric.memory;

import java.lang.foreign.MemorySegment;

/// Decides when bytes that a device writes to a region with
/// [RELAXED_ORDERING][dev.outboard.fabric.Access#RELAXED_ORDERING] can be seen there, for a
/// provider whose memory system shows it. One belongs to a device, and to the thread that drives
/// it.
///
/// All that was placed is settled before the device reads anything, writes to a region without
/// relaxed ordering, or completes a request: the rules of PCI Express for writes that may not pass
/// others.
public interface Placement {
    /// Where bytes go in the end. It can be called once it is known when; then they can be seen,
    /// and a watch has been told.
    interface Target {
        /// Where the region is in memory.
        long address();

        /// Stores `length` bytes from `position` of `source` at `offset` of the region.
        void store(long offset, MemorySegment source, long position, int length);
    }

    /// Stores the bytes into `target`, now or later, at once or in parts. `source` is good during
    /// this call only.
    void place(Target target, long offset, MemorySegment source, long position, int length);

    /// Everything that was placed has been stored when this returns.
    void settle();
}
