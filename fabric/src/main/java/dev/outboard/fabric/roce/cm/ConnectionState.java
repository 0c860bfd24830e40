package dev.outboard.fabric.roce.cm;

/// The states of a connection (InfiniBand Architecture, volume 1, 12.9.5 to 12.9.8, without those
/// that are left at once here).
public enum ConnectionState {
    /// Active: REQ sent. From connect, and from MRA_REQ_RCVD when the time granted is over. Leads
    /// to MRA_REQ_RCVD, ESTABLISHED (REP), TIMEWAIT (REJ for a stale connection) or IDLE.
    REQ_SENT,
    /// Active: the peer asked for more time. From REQ_SENT; leads where that does.
    MRA_REQ_RCVD,
    /// Passive: the application has not answered the REQ. From a REQ; leads to REP_SENT (accept) or
    /// IDLE (reject, or the peer gave up).
    REQ_RCVD,
    /// Passive: accepted, REP sent. From REQ_RCVD, and from MRA_REP_RCVD when the time granted is
    /// over. Leads to MRA_REP_RCVD, ESTABLISHED (RTU or the first packet), DREQ_SENT or TIMEWAIT.
    REP_SENT,
    /// Passive: the peer asked for more time. From REP_SENT; leads where that does.
    MRA_REP_RCVD,
    /// Connected. From REQ_SENT and REP_SENT; leads to DREQ_SENT (disconnect) or TIMEWAIT (DREQ).
    ESTABLISHED,
    /// Disconnected here, DREQ sent. From ESTABLISHED and REP_SENT; leads to TIMEWAIT.
    DREQ_SENT,
    /// Over, but packets may still be on their way: neither the queue pair number nor the
    /// communication ID is reused. Leads to IDLE.
    TIMEWAIT,
    /// Over and forgotten by the agent.
    IDLE
}
