package dev.outboard.fabric.roce.cm;

/// Why a message that arrived whole was dropped; what is no message has a
/// [dev.outboard.fabric.roce.wire.cm.DatagramFlaw].
public enum CmDiscard {
    /// An ID of 0, a queue pair number that no queue pair has, or an answer about another service.
    MALFORMED,
    /// Not from the address that the connection, or the request's path, belongs to.
    WRONG_SOURCE,
    /// No connection has these communication IDs.
    UNKNOWN_ID,
    /// For a connection that does not expect this message now.
    WRONG_STATE,
    /// A repetition that needs no answer, or was answered like the first.
    DUPLICATE,
    /// A DREQ that names another queue pair than the connection's.
    WRONG_QUEUE_PAIR,
    /// A REQ beyond the listener's backlog.
    BACKLOG_FULL,
    /// A REQ beyond the device's limit of accepted connections.
    CONNECTION_LIMIT
}
