package dev.outboard.doca.rdma;

import dev.outboard.doca.Buf;
import dev.outboard.doca.ValidationRule;
import dev.outboard.doca.sync.SyncEventRemoteNet;
import dev.outboard.fabric.SendRequest;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Adds to a peer's sync event modulo 2^64, in one indivisible step also for those who add there,
/// and fetches what it was; who waits for it there is released
/// (`doca_rdma_task_remote_net_sync_event_notify_add`). Any failure stops the context.
public final class SyncEventNotifyAddTask extends RequestTask {
    private SyncEventRemoteNet event;
    private final Operand<Buf> result = new Operand<>();
    private long addend;

    SyncEventNotifyAddTask(
            Rdma rdma,
            RdmaConnection connection,
            SyncEventRemoteNet event,
            long addend,
            Buf result) {
        super(rdma, TaskType.REMOTE_NET_SYNC_EVENT_NOTIFY_ADD, connection);
        this.event = event;
        this.addend = addend;
        this.result.set(result);
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

    /// What is added.
    public long addend() {
        requireNotFreed();
        return addend;
    }

    /// Changes what is added.
    public void addend(long newAddend) {
        requireUserOwned();
        addend = newAddend;
    }

    /// The buffer at whose data address the old value is put, in native byte order.
    public Buf result() {
        requireNotFreed();
        return Objects.requireNonNull(result.get());
    }

    /// Changes the buffer for the old value.
    public void result(Buf newResult) {
        requireUserOwned();
        result.set(newResult);
    }

    @Override
    @Nullable ValidationRule check() {
        ValidationRule broken = checkEvent(event);
        return broken == null ? AtomicOperands.checkResult(result, ctx().device()) : broken;
    }

    @Override
    @Nullable ValidationRule checkMore() {
        return AtomicOperands.checkMoreOfResult(result);
    }

    /// DRDMA-SEADD-1, DRDMA-SEADD-2, DRDMA-SEADD-3: in one step, and the old value comes back.
    @Override
    void prepare(SendRequest request) {
        request.fetchAndAdd(event.address(), event.remoteKey(), addend);
        AtomicOperands.place(result, request, ctx().device());
    }

    @Override
    void complete() {}

    /// DRDMA-SEADD-4: there is no failure that the context survives.
    @Override
    boolean isAlwaysFatal() {
        return true;
    }

    @Override
    public CompletableFuture<SyncEventNotifyAddTask> submitAsync() {
        return submitting(this);
    }

    @Override
    public String toString() {
        return "add of %s to %s".formatted(Long.toUnsignedString(addend), event);
    }
}
