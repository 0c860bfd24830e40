package dev.outboard.fabric.roce.nic;

import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.roce.cm.CmEvent;
import dev.outboard.fabric.roce.cm.Connection;
import org.jspecify.annotations.Nullable;

/// The application's end of a connection, or its listener for connections, as [GeneralServices]
/// knows it. Called while driving.
public interface ConnectedEnd {
    /// What the connection connects; null without one.
    @Nullable NicQueuePair connecting();

    /// What the application asks of the queue pair beyond what the peers agree on.
    QueuePairChange preferred();

    /// The end for a connection request that this listener received.
    ConnectedEnd requested(Connection request);

    /// Something happened to the connection.
    void deliver(CmEvent event);
}
