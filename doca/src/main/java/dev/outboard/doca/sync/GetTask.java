package dev.outboard.doca.sync;

import dev.outboard.doca.spi.EventCell;
import java.util.concurrent.CompletableFuture;

/// Gets the value of a sync event.
public final class GetTask extends SyncEventTask {
    private long value;

    GetTask(SyncEventCtx ctx) {
        super(ctx, SyncEventTaskType.GET);
    }

    /// The value it had.
    ///
    /// @throws dev.outboard.doca.DocaException with BAD_STATE unless the task succeeded
    public long value() {
        requireSuccess();
        return value;
    }

    @Override
    boolean attempt(EventCell cell) {
        value = cell.get();
        return true;
    }

    @Override
    public CompletableFuture<GetTask> submitAsync() {
        return submitting(this);
    }

    @Override
    public String toString() {
        return "get of " + ctx();
    }
}
