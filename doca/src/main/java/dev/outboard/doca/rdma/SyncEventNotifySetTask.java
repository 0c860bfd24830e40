package dev.outboard.doca.rdma;

import dev.outboard.doca.Buf;
import dev.outboard.doca.ValidationRule;
import dev.outboard.doca.sync.SyncEventRemoteNet;
import dev.outboard.fabric.SendRequest;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Sets a peer's sync event to the first 8 bytes of data of a local buffer, in native byte order,
/// after everything that was written before on this connection; who waits for it there is released
/// (`doca_rdma_task_remote_net_sync_event_notify_set`). With fewer bytes it changes those at the
/// low addresses only.
public final class SyncEventNotifySetTask extends RequestTask {
    private SyncEventRemoteNet event;
    private final Operand<Buf> src = new Operand<>();

    SyncEventNotifySetTask(
            Rdma rdma, RdmaConnection connection, SyncEventRemoteNet event, Buf src) {
        super(rdma, TaskType.REMOTE_NET_SYNC_EVENT_NOTIFY_SET, connection);
        this.event = event;
        this.src.set(src);
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

    /// The source.
    public Buf src() {
        requireNotFreed();
        return Objects.requireNonNull(src.get());
    }

    /// Changes the source.
    public void src(Buf newSrc) {
        requireUserOwned();
        src.set(newSrc);
    }

    /// DRDMA-SESET-1, DRDMA-SESET-5, DRDMA-NULL-7: an event, and a source with bytes.
    @Override
    @Nullable ValidationRule check() {
        ValidationRule broken = checkEvent(event);
        if (broken != null) {
            return broken;
        }
        if (src.get() == null) {
            return ValidationRule.OPERAND_MISSING;
        }
        broken = checkList(src);
        return broken == null && BufLists.gatherLength(src.get()) == 0
                ? ValidationRule.NO_BYTES
                : broken;
    }

    @Override
    @Nullable ValidationRule checkMore() {
        return BufLists.checkMemory(src.get(), false);
    }

    /// DRDMA-SESET-2, DRDMA-SESET-4, DFLT-57: 8 bytes, or as many as there are.
    @Override
    void prepare(SendRequest request) {
        request.write(event.address(), event.remoteKey());
        BufLists.gather(request, src.get(), ctx().device(), Long.BYTES);
    }

    @Override
    void complete() {}

    @Override
    public CompletableFuture<SyncEventNotifySetTask> submitAsync() {
        return submitting(this);
    }

    @Override
    public String toString() {
        return "set of %s to %s".formatted(event, text(src.get()));
    }
}
