package dev.outboard.doca.rdma;

import dev.outboard.doca.Buf;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.RemoteBuf;
import dev.outboard.doca.sync.SyncEventRemoteNet;
import org.jspecify.annotations.Nullable;

/// What tasks a connection gives out (`doca_rdma_task_…_allocate_init`). Same threads as its
/// context.
abstract sealed class ConnectionTasks permits RdmaConnection {
    /// The context of the connection.
    final Rdma rdma;

    ConnectionTasks(Rdma rdma) {
        this.rdma = rdma;
    }

    private RdmaConnection self() {
        return (RdmaConnection) this;
    }

    /// Allocates a send.
    ///
    /// @param src the message, null for one without payload; a list may have as many buffers as
    ///   [Rdma#maxSendBufListLen]
    /// @throws DocaException with BAD_STATE unless the context is running, with NOT_PERMITTED if
    ///   the type is not enabled, with NO_MEMORY if all its tasks are allocated
    public SendTask allocSend(@Nullable Buf src) {
        return rdma.allocated(TaskType.SEND, () -> new SendTask(rdma, self(), src));
    }

    /// Allocates a send of a message without payload; see [#allocSend(Buf)].
    public SendTask allocSend() {
        return allocSend(null);
    }

    /// Allocates a send with immediate; see [#allocSend].
    public SendImmTask allocSendImm(@Nullable Buf src, Be32 immediate) {
        DocaException.nonNull(immediate, "immediate");
        return rdma.allocated(
                TaskType.SEND_IMM, () -> new SendImmTask(rdma, self(), src, immediate));
    }

    /// Allocates a send of an immediate without payload; see [#allocSend(Buf)].
    public SendImmTask allocSendImm(Be32 immediate) {
        return allocSendImm(null, immediate);
    }

    /// Allocates a read; see [#allocSend].
    ///
    /// @param dst may be null if `src` is
    public ReadTask allocRead(@Nullable RemoteBuf src, @Nullable Buf dst) {
        return rdma.allocated(TaskType.READ, () -> new ReadTask(rdma, self(), src, dst));
    }

    /// Allocates a read of nothing, to see whether the peer is there; see [#allocSend(Buf)].
    public ReadTask allocRead() {
        return allocRead(null, null);
    }

    /// Allocates a write; see [#allocSend].
    ///
    /// @param dst may be null if `src` is
    public WriteTask allocWrite(@Nullable Buf src, @Nullable RemoteBuf dst) {
        return rdma.allocated(TaskType.WRITE, () -> new WriteTask(rdma, self(), src, dst));
    }

    /// Allocates a write of nothing, to see whether the peer is there; see [#allocSend(Buf)].
    public WriteTask allocWrite() {
        return allocWrite(null, null);
    }

    /// Allocates a write with immediate; see [#allocSend].
    ///
    /// @param dst may be null if `src` is
    public WriteImmTask allocWriteImm(@Nullable Buf src, @Nullable RemoteBuf dst, Be32 immediate) {
        DocaException.nonNull(immediate, "immediate");
        return rdma.allocated(
                TaskType.WRITE_IMM, () -> new WriteImmTask(rdma, self(), src, dst, immediate));
    }

    /// Allocates a write of an immediate only; see [#allocSend(Buf)].
    public WriteImmTask allocWriteImm(Be32 immediate) {
        return allocWriteImm(null, null, immediate);
    }

    /// Allocates a compare-and-swap; see [#allocSend].
    ///
    /// @throws DocaException also with INVALID_VALUE if an operand is null
    public AtomicCmpSwpTask allocAtomicCmpSwp(RemoteBuf dst, Buf result, long compare, long swap) {
        DocaException.nonNull(dst, "dst");
        DocaException.nonNull(result, "result");
        return rdma.allocated(
                TaskType.ATOMIC_CMP_SWP,
                () -> new AtomicCmpSwpTask(rdma, self(), dst, result, compare, swap));
    }

    /// Allocates a fetch-and-add; see [#allocSend].
    ///
    /// @throws DocaException also with INVALID_VALUE if an operand is null
    public AtomicFetchAddTask allocAtomicFetchAdd(RemoteBuf dst, Buf result, long add) {
        DocaException.nonNull(dst, "dst");
        DocaException.nonNull(result, "result");
        return rdma.allocated(
                TaskType.ATOMIC_FETCH_ADD,
                () -> new AtomicFetchAddTask(rdma, self(), dst, result, add));
    }

    /// Allocates a get of a sync event; see [#allocSend].
    ///
    /// @throws DocaException also with INVALID_VALUE if an operand is null
    public SyncEventGetTask allocSyncEventGet(SyncEventRemoteNet event, Buf dst) {
        DocaException.nonNull(event, "event");
        DocaException.nonNull(dst, "dst");
        return rdma.allocated(
                TaskType.REMOTE_NET_SYNC_EVENT_GET,
                () -> new SyncEventGetTask(rdma, self(), event, dst));
    }

    /// Allocates a set of a sync event; see [#allocSend].
    ///
    /// @param src may be a list; surplus bytes are ignored
    /// @throws DocaException also with INVALID_VALUE if an operand is null
    public SyncEventNotifySetTask allocSyncEventNotifySet(SyncEventRemoteNet event, Buf src) {
        DocaException.nonNull(event, "event");
        DocaException.nonNull(src, "src");
        return rdma.allocated(
                TaskType.REMOTE_NET_SYNC_EVENT_NOTIFY_SET,
                () -> new SyncEventNotifySetTask(rdma, self(), event, src));
    }

    /// Allocates an add to a sync event; see [#allocSend].
    ///
    /// @throws DocaException also with INVALID_VALUE if an operand is null
    public SyncEventNotifyAddTask allocSyncEventNotifyAdd(
            SyncEventRemoteNet event, long addend, Buf result) {
        DocaException.nonNull(event, "event");
        DocaException.nonNull(result, "result");
        return rdma.allocated(
                TaskType.REMOTE_NET_SYNC_EVENT_NOTIFY_ADD,
                () -> new SyncEventNotifyAddTask(rdma, self(), event, addend, result));
    }
}
