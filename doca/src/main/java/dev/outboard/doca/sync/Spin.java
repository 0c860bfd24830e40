package dev.outboard.doca.sync;

/// How a thread passes the time until a [SyncEvent] has the value it waits for
/// (`doca_sync_event_wait_gt` and `_yield`).
///
/// DJAVA-SE-1: PARK, which is Java's own, adds latency but no load.
public enum Spin {
    /// Looks all the time: the shortest latency, and a whole processor; pins the carrier of a
    /// virtual thread.
    BUSY,
    /// Lets other threads run between two looks, and uses what they leave.
    YIELD,
    /// Sleeps between two looks, longer and longer up to a millisecond: next to no load.
    PARK
}
