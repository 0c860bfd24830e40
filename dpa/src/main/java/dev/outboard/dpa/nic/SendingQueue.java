package dev.outboard.dpa.nic;

import dev.outboard.dpa.machine.Nic;

/// A queue of a NIC that has a send queue.
public abstract sealed class SendingQueue implements NicQueue permits FrameSendQueue, QueuePair {
    SendingQueue() {}

    /// What a step has done.
    enum Step {
        /// There is nothing to do until the next doorbell.
        IDLE,
        /// An entry is done.
        DONE,
        /// The peer has not answered.
        WAITING
    }

    /// DPA-FXQ-8c: a doorbell tells up to where entries are posted.
    ///
    /// @return whether that is news
    abstract boolean ring(int index);

    /// Executes an entry of the send queue.
    abstract Step step(Nic nic);

    /// An entry has failed: whatever is posted is flushed from now on.
    abstract void fail(Nic nic);

    /// What was posted to its receive queue since it failed is flushed, if it has one.
    void flushReceives(Nic nic) {
        // It has none.
    }

    /// It is destroyed.
    abstract void remove();

    /// How far it is.
    abstract QueueStatus status();
}
