package dev.outboard.dpa.nic;

/// A queue of a NIC that doorbells name.
public sealed interface NicQueue
        permits CompletionQueue, EventQueue, FrameReceiveQueue, SendingQueue {
    /// Its number among all queues of the NIC, of 24 bits.
    int number();

    /// DPA-FXO-4: through whose outboxes it may be rung.
    int uar();

    /// Whether it has failed: then it does nothing more but to complete what is posted as flushed.
    boolean isInError();
}
