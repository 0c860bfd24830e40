package dev.outboard.doca.sync;

import dev.outboard.doca.spi.EventCell;
import java.util.concurrent.CompletableFuture;

/// Sets the value of a sync event.
public final class NotifySetTask extends SyncEventTask {
    private long value;

    NotifySetTask(SyncEventCtx ctx, long value) {
        super(ctx, SyncEventTaskType.NOTIFY_SET);
        this.value = value;
    }

    /// What it is set to.
    public long value() {
        requireNotFreed();
        return value;
    }

    /// Changes what it is set to.
    public void value(long newValue) {
        requireUserOwned();
        value = newValue;
    }

    @Override
    boolean attempt(EventCell cell) {
        cell.set(value);
        return true;
    }

    @Override
    public CompletableFuture<NotifySetTask> submitAsync() {
        return submitting(this);
    }

    @Override
    public String toString() {
        return "set of %s to %s".formatted(ctx(), Long.toUnsignedString(value));
    }
}
