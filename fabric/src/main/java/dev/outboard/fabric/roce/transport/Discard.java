package dev.outboard.fabric.roce.transport;

/// Why a packet was dropped without an answer although nothing is wrong with it by itself; what is
/// has a [dev.outboard.fabric.roce.wire.PacketFlaw]. Nothing is dropped without a reason and every
/// reason has a counter. Source: spec/roce.md, 3.6, and where named.
public enum Discard {
    /// No queue pair has this number.
    UNKNOWN_QPN,
    /// An RC packet for a UD queue pair or the reverse.
    WRONG_TRANSPORT,
    /// The queue pair does not receive such packets in its state.
    WRONG_STATE,
    /// It comes from another address than the queue pair's peer.
    WRONG_SOURCE,

    /// A datagram with another Q_Key (4).
    BAD_QUEUE_KEY,
    /// A datagram or frame, and no receive was posted (4).
    NO_RECEIVE,
    /// A datagram or frame larger than the receive's buffers (4).
    RECEIVE_TOO_SMALL,
    /// A datagram or frame, and the receive names memory that cannot be written.
    RECEIVE_UNWRITABLE,
    /// A datagram to queue pair 1 that is no connection-management MAD.
    BAD_MAD,

    /// A raw Ethernet frame that no flow steers to a queue pair.
    NO_FLOW
}
