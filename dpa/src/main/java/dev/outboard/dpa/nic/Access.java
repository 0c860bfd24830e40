package dev.outboard.dpa.nic;

/// What a memory key allows the NIC to do, beside reading for its owner's own sends.
public enum Access {
    /// Receives, and results of reads and atomics, may be written.
    LOCAL_WRITE,
    /// Peers may read.
    REMOTE_READ,
    /// Peers may write.
    REMOTE_WRITE,
    /// Peers may use atomics.
    REMOTE_ATOMIC,
    /// DPA-MEM-17: the NIC may write in any order. Without it the region is strictly ordered.
    RELAXED_ORDERING
}
