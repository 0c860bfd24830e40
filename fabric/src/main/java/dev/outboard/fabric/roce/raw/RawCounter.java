package dev.outboard.fabric.roce.raw;

/// What a raw packet queue pair counts.
public enum RawCounter {
    FRAMES_SENT,
    /// Bytes in them, as they were posted.
    BYTES_SENT,
    FRAMES_RECEIVED,
    /// Bytes in them, padding included.
    BYTES_RECEIVED,
    /// Frames for which no receive was posted.
    NO_RECEIVE_DROPPED,
    /// Frames that did not fit the posted receive.
    TOO_LONG_DROPPED,
    /// Frames that arrived in a state in which they are dropped.
    WRONG_STATE_DROPPED,
    /// Frames that could not be written to the posted receive.
    UNWRITABLE_DROPPED,
    /// Completions lost because the completion queue was full.
    COMPLETION_QUEUE_OVERRUNS
}
