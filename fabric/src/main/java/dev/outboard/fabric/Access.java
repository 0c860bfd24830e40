package dev.outboard.fabric;

/// What a memory region permits besides being read locally, and how it may be written. The bits are
/// those of the verbs.
public enum Access {
    /// The local device may write: receive buffers need this.
    LOCAL_WRITE(1),
    /// A peer that knows the key may write. Requires [#LOCAL_WRITE].
    REMOTE_WRITE(2),
    /// A peer that knows the key may read.
    REMOTE_READ(4),
    /// A peer that knows the key may use atomic operations. Requires [#LOCAL_WRITE].
    REMOTE_ATOMIC(8),
    /// Memory windows may be bound to the region.
    MEMORY_WINDOW_BIND(16),
    /// What the device writes there may be seen in another order than it was written, on a machine
    /// whose memory system does so (`IBV_ACCESS_RELAXED_ORDERING`). No right, but a promise of the
    /// application not to take one part as the sign that another has arrived: a completion tells
    /// that all has. A provider whose writes come in order anyway takes it and changes nothing, as
    /// `roce://` does; on `sim://` an application sees them come out of order.
    RELAXED_ORDERING(1 << 20);

    private final int bit;

    Access(int bit) {
        this.bit = bit;
    }

    /// The verbs' bit.
    public int bit() {
        return bit;
    }
}
