package dev.outboard.fabric.roce.ud;

/// What an unreliable-datagram queue pair counts.
public enum UdCounter {
    DATAGRAMS_SENT,
    /// Payload bytes in them.
    BYTES_SENT,
    DATAGRAMS_RECEIVED,
    /// Payload bytes in them, without the route header.
    BYTES_RECEIVED,
    /// Datagrams with another queue key than the queue pair's.
    BAD_QUEUE_KEY_DROPPED,
    /// Datagrams for which no receive was posted.
    NO_RECEIVE_DROPPED,
    /// Datagrams that did not fit the posted receive.
    TOO_LONG_DROPPED,
    /// Datagrams that arrived in a state in which they are dropped.
    WRONG_STATE_DROPPED,
    /// Datagrams that could not be written to the posted receive.
    UNWRITABLE_DROPPED,
    /// Completions lost because the completion queue was full.
    COMPLETION_QUEUE_OVERRUNS
}
