package dev.outboard.fabric;

/// The states of a queue pair (InfiniBand Architecture, volume 1, section 10.3.1).
public enum QueuePairState {
    /// Created, or reset: nothing may be posted. Leads to INIT.
    RESET,
    /// Receives may be posted; packets are dropped. From RESET; leads to READY_TO_RECEIVE.
    INIT,
    /// The responder runs. From INIT; leads to READY_TO_SEND.
    READY_TO_RECEIVE,
    /// Requester and responder run. From READY_TO_RECEIVE, or back from one of the next two.
    READY_TO_SEND,
    /// Requests that were started finish, further ones wait; the responder runs. From
    /// READY_TO_SEND; leads back there.
    SEND_QUEUE_DRAIN,
    /// A send of a datagram queue pair failed: its send queue is flushed, it still receives. Leads
    /// back to READY_TO_SEND.
    SEND_QUEUE_ERROR,
    /// Everything outstanding is flushed, packets are dropped. From any state, by request or by a
    /// fatal error.
    ERROR
}
