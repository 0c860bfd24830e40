package dev.outboard.dpa.nic;

/// How far a queue is.
///
/// @param depth how many entries a completion or event queue has, a send queue has blocks, or the
///   entries of a receive queue are
/// @param written how many entries were written to a completion or event queue, or a queue has sent
///   or received
/// @param armed whether a completion queue activates its handler at its next entry, or an event
///   queue interrupts the host
/// @param error whether it has failed
public record QueueStatus(
        Kind kind, int number, int depth, long written, boolean armed, boolean error) {
    /// What it is.
    public enum Kind {
        /// A completion queue.
        COMPLETION_QUEUE,
        /// An event queue.
        EVENT_QUEUE,
        /// A send and a receive queue.
        QUEUE_PAIR,
        /// A send queue of frames.
        SEND_QUEUE,
        /// A receive queue of frames.
        RECEIVE_QUEUE
    }
}
