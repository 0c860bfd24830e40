package dev.outboard.doca.sync;

import dev.outboard.doca.spi.EventCell;
import java.util.concurrent.CompletableFuture;

/// Adds to the value of a sync event modulo 2^64, in one indivisible step, and fetches what it was.
public final class NotifyAddTask extends SyncEventTask {
    private long addend;
    private long fetched;

    NotifyAddTask(SyncEventCtx ctx, long addend) {
        super(ctx, SyncEventTaskType.NOTIFY_ADD);
        this.addend = addend;
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

    /// The value before.
    ///
    /// @throws dev.outboard.doca.DocaException with BAD_STATE unless the task succeeded
    public long fetched() {
        requireSuccess();
        return fetched;
    }

    @Override
    boolean attempt(EventCell cell) {
        fetched = cell.add(addend);
        return true;
    }

    @Override
    public CompletableFuture<NotifyAddTask> submitAsync() {
        return submitting(this);
    }

    @Override
    public String toString() {
        return "add of %s to %s".formatted(Long.toUnsignedString(addend), ctx());
    }
}
