package dev.outboard.dpa.nic;

/// What the NIC tells the host beside completions.
///
/// @param queueNumber of the queue that it is about
public record AsyncEvent(Kind kind, int queueNumber) {
    /// What has happened.
    public enum Kind {
        /// DPA-FXQ-6, DPA-ERR-20: a completion queue had no room for an entry.
        COMPLETION_QUEUE_OVERRUN,
        /// DPA-FXQ-2c: an event queue had no room for an entry.
        EVENT_QUEUE_OVERRUN,
        /// A queue pair went to its error state.
        QUEUE_PAIR_ERROR,
        /// A send or receive queue of frames went to its error state.
        FRAME_QUEUE_ERROR,
        /// DPA-FXO-7: a doorbell was dropped, since the NIC has no such queue for it.
        FOREIGN_DOORBELL
    }
}
