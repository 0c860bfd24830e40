package dev.outboard.doca;

/// The states of a [Ctx] (`doca_ctx_states`); the ordinal is DOCA's number.
///
/// DCORE-CTX-1, DCORE-CTX-2: these four, in this order.
public enum CtxState {
    /// Can be configured. Leads to STARTING or RUNNING.
    IDLE,
    /// Started, but something is missing that [ProgressEngine#progress] notices when it comes.
    STARTING,
    /// Tasks can be allocated and submitted.
    RUNNING,
    /// Its tasks are ended; IDLE follows when the last was freed.
    STOPPING
}
