package dev.outboard.doca.rdma;

/// The kinds of task of an [Rdma] context (`doca_rdma_task_*`).
public enum TaskType {
    RECEIVE,
    SEND,
    SEND_IMM,
    READ,
    WRITE,
    WRITE_IMM,
    ATOMIC_CMP_SWP,
    ATOMIC_FETCH_ADD,
    REMOTE_NET_SYNC_EVENT_GET,
    REMOTE_NET_SYNC_EVENT_NOTIFY_SET,
    REMOTE_NET_SYNC_EVENT_NOTIFY_ADD
}
