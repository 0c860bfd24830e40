package dev.outboard.doca.sync;

/// The kinds of task of a [SyncEventCtx] (`doca_sync_event_task_*`).
public enum SyncEventTaskType {
    GET,
    NOTIFY_SET,
    NOTIFY_ADD,
    WAIT_EQ,
    WAIT_NEQ
}
