package dev.outboard.dpa.doca;

import dev.outboard.doca.sync.SyncEvent;

/// A peer on the fabric that is connected to a context, and updates events of it.
interface PeerOfEvents extends AutoCloseable {
    /// Writes a message to the memory of the other side, and updates an event.
    void tell(SyncEvent event, long seed, long value, boolean isAdd);

    /// Adds to an event several times.
    void addOften(SyncEvent event, int times, long addend);

    @Override
    void close();
}
