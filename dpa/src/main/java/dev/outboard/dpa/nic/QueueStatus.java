package dev.outboard.dpa.nic;

import org.jspecify.annotations.Nullable;

/// How far a queue is.
///
/// @param depth how many entries a completion or event queue has, a send queue has blocks, or the
///   entries of a receive queue are
/// @param written how many entries were written to a completion or event queue, or a queue has sent
///   or received
/// @param armed whether a completion queue activates its handler at its next entry, or an event
///   queue interrupts the host
/// @param error whether it has failed
/// @param sends what was posted to a send queue; null of a queue that is none
public record QueueStatus(
        Kind kind,
        int number,
        int depth,
        long written,
        boolean armed,
        boolean error,
        @Nullable Sends sends) {
    /// Of a queue that sends nothing.
    QueueStatus(Kind kind, int number, int depth, long written, boolean armed, boolean error) {
        this(kind, number, depth, written, armed, error, null);
    }

    /// What was posted to a send queue, as the NIC knows it from doorbells.
    ///
    /// @param purpose what the queue is for, in words; empty if nobody has said so
    /// @param posted how many blocks of 64 bytes; an RDMA operation of DOCA DPA is one block
    /// @param outstanding how many of them are not known to have ended. On a device of the fabric,
    ///   one that ends without a completion is known to have ended when a later one has
    /// @param failed how many entries have ended with an error
    public record Sends(String purpose, long posted, int outstanding, long failed) {}

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
