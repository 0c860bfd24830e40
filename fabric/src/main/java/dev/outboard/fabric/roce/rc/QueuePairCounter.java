package dev.outboard.fabric.roce.rc;

/// What a reliable-connected queue pair counts.
public enum QueuePairCounter {
    /// Request packets sent for the first time.
    REQUESTS_SENT,
    /// Payload bytes in them.
    BYTES_SENT,
    /// Request packets sent again.
    RETRANSMITS,
    /// Requests executed.
    REQUESTS_RECEIVED,
    /// Payload bytes in them.
    BYTES_RECEIVED,
    ACKS_SENT,
    ACKS_RECEIVED,
    SEQUENCE_NAKS_SENT,
    SEQUENCE_NAKS_RECEIVED,
    RNR_NAKS_SENT,
    RNR_NAKS_RECEIVED,
    ERROR_NAKS_SENT,
    ERROR_NAKS_RECEIVED,
    /// Requests that had been executed before.
    DUPLICATES_RECEIVED,
    /// Packets behind a gap that was reported already.
    OUT_OF_ORDER_DROPPED,
    /// Packets sent that answer READs and atomics.
    RESPONSES_SENT,
    /// Packets received that answer READs and atomics.
    RESPONSES_RECEIVED,
    /// How often responses were found missing and asked for again.
    RESPONSES_LOST,
    /// READs and atomics that came again when their answer was not known any more.
    UNKNOWN_DUPLICATES_DROPPED,
    /// Answers to nothing outstanding.
    STALE_RESPONSES_DROPPED,
    /// Last packets repeated to provoke an answer.
    PROBES,
    TIMEOUTS,
    /// Congestion notification packets.
    NOTIFICATIONS_SENT,
    NOTIFICATIONS_RECEIVED,
    /// Packets that arrived in a state in which they are dropped.
    WRONG_STATE_DROPPED,
    /// Completions lost because the completion queue was full.
    COMPLETION_QUEUE_OVERRUNS
}
