package dev.outboard.doca.rdma;

import dev.outboard.doca.Buf;
import dev.outboard.doca.ValidationRule;
import dev.outboard.doca.sync.SyncEventRemoteNet;
import dev.outboard.fabric.SendRequest;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Gets the value of a peer's sync event: its 8 bytes, in native byte order, behind the data of a
/// local buffer; if less fits, as many as do (`doca_rdma_task_remote_net_sync_event_get`). They are
/// of one whole value, old or new.
public final class SyncEventGetTask extends RequestTask {
    private SyncEventRemoteNet event;
    private final Operand<Buf> dst = new Operand<>();
    private long length;

    SyncEventGetTask(Rdma rdma, RdmaConnection connection, SyncEventRemoteNet event, Buf dst) {
        super(rdma, TaskType.REMOTE_NET_SYNC_EVENT_GET, connection);
        this.event = event;
        this.dst.set(dst);
    }

    /// The event.
    public SyncEventRemoteNet event() {
        requireNotFreed();
        return event;
    }

    /// Changes the event.
    public void event(SyncEventRemoteNet newEvent) {
        requireUserOwned();
        event = newEvent;
    }

    /// The destination.
    public Buf dst() {
        requireNotFreed();
        return Objects.requireNonNull(dst.get());
    }

    /// Changes the destination.
    public void dst(Buf newDst) {
        requireUserOwned();
        dst.set(newDst);
    }

    /// Bytes got.
    ///
    /// DRDMA-SEGET-3: of a success only.
    ///
    /// @throws dev.outboard.doca.DocaException with BAD_STATE unless it succeeded
    public long resultLength() {
        requireSuccess();
        return length;
    }

    @Override
    @Nullable ValidationRule check() {
        ValidationRule broken = checkEvent(event);
        if (broken != null) {
            return broken;
        }
        return dst.get() == null ? ValidationRule.OPERAND_MISSING : checkList(dst);
    }

    @Override
    @Nullable ValidationRule checkMore() {
        return BufLists.checkMemory(dst.get(), true);
    }

    /// DRDMA-SEGET-1, DRDMA-SEGET-7, DFLT-58: 8 bytes, or as many as fit.
    @Override
    void prepare(SendRequest request) {
        length = Math.min(Long.BYTES, BufLists.scatterCapacity(dst.get()));
        request.read(event.address(), event.remoteKey());
        BufLists.scatter(request, dst.get(), ctx().device(), length);
    }

    /// DRDMA-SEGET-2: appended to the destination.
    @Override
    void complete() {
        BufLists.append(dst.ifValid(), length);
    }

    @Override
    public CompletableFuture<SyncEventGetTask> submitAsync() {
        return submitting(this);
    }

    @Override
    public String toString() {
        return "get of %s into %s".formatted(event, text(dst.get()));
    }
}
