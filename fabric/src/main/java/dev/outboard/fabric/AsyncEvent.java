package dev.outboard.fabric;

/// Something that happened to an object of a device outside any work request (the verbs'
/// `ibv_async_event`).
///
/// @param type what happened
/// @param source what it happened to: a [QueuePair], a [CompletionQueue], a [SharedReceiveQueue] or
///   the [Device], as the type says
public record AsyncEvent(Type type, AutoCloseable source) {

    /// The kinds of event; order and numbers are those of `ibv_event_type`, so the ordinal is the
    /// number.
    public enum Type {
        /// A completion queue ran full: completions are lost.
        CQ_ERROR,
        /// A queue pair went to ERROR because of something on our side.
        QP_FATAL,
        /// A queue pair went to ERROR because the peer sent what the protocol forbids.
        QP_REQUEST_ERROR,
        /// A queue pair went to ERROR because the peer named memory it may not touch.
        QP_ACCESS_ERROR,
        /// The first packet arrived at a queue pair in READY_TO_RECEIVE.
        COMMUNICATION_ESTABLISHED,
        /// A queue pair in SEND_QUEUE_DRAIN has finished what it had started.
        SQ_DRAINED,
        PATH_MIGRATED,
        PATH_MIGRATION_ERROR,
        DEVICE_FATAL,
        PORT_ACTIVE,
        PORT_ERROR,
        LID_CHANGE,
        PKEY_CHANGE,
        SM_CHANGE,
        SRQ_ERROR,
        /// Fewer receives are left in a shared receive queue than asked for with
        /// [SharedReceiveQueue#arm].
        SRQ_LIMIT_REACHED,
        /// A queue pair in ERROR takes no further receive from its shared receive queue: it can be
        /// closed without losing one.
        QP_LAST_WQE_REACHED
    }
}
