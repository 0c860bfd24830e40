package dev.outboard.dpa.model;

/// DPA-OPM-3: writes of a thread to one granule that are performed, and that the NIC does not see
/// yet. It will see all of them at once.
///
/// @param kind HEAP or MEMORY
/// @param first the smallest of their sequence numbers
/// @param followHeap heap writes of the thread before this number the NIC must see first, or at the
///   same time
/// @param followMemory the same of all writes to DPA memory
record Unseen(int granule, Kind kind, int first, int followHeap, int followMemory) {
    /// Whether the NIC has to see another one first.
    boolean follows(Unseen other) {
        return other.granule != granule
                && (other.first < followMemory
                        || (other.kind == Kind.HEAP && other.first < followHeap));
    }

    Unseen and(Write write) {
        return new Unseen(
                granule,
                kind,
                Math.min(first, write.number()),
                Math.max(followHeap, write.bounds()[Bounds.FOLLOW_HEAP]),
                Math.max(followMemory, write.bounds()[Bounds.FOLLOW_MEMORY]));
    }

    static Unseen of(Write write) {
        return new Unseen(
                write.target(),
                write.kind(),
                write.number(),
                write.bounds()[Bounds.FOLLOW_HEAP],
                write.bounds()[Bounds.FOLLOW_MEMORY]);
    }
}
