package dev.outboard.dpa.nic;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/// How many frames have passed a port, and what was dropped there and why. Any thread may read
/// them.
public final class PortCounters {
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong received = new AtomicLong();
    private final AtomicLongArray drops = new AtomicLongArray(Drop.values().length);

    /// Why a frame that came to a port was dropped.
    public enum Drop {
        /// The host gave fewer bytes than a header has.
        TOO_SHORT,
        /// The host gave more bytes than a frame has.
        TOO_LONG,
        /// No steering rule takes it.
        UNSTEERED,
        /// The receive queue has no entry.
        NO_ENTRY,
        /// The next entry has fewer bytes than the frame.
        LONGER_THAN_ENTRY,
        /// The next entry names memory that its key does not allow to write; the queue has failed.
        BAD_ENTRY,
        /// The receive queue had failed before, or it or its process is no more.
        QUEUE_GONE,
        /// The NIC of the process is too far behind.
        OVERFLOW
    }

    PortCounters() {}

    /// Frames that send queues have sent through the port.
    public long framesSent() {
        return sent.get();
    }

    /// Frames that a receive queue has got.
    public long framesReceived() {
        return received.get();
    }

    /// DPA-FXQ-12: frames that were dropped for that reason.
    public long framesDropped(Drop reason) {
        return drops.get(reason.ordinal());
    }

    void sent() {
        sent.getAndIncrement();
    }

    void received() {
        received.getAndIncrement();
    }

    void dropped(Drop reason) {
        drops.getAndIncrement(reason.ordinal());
    }
}
