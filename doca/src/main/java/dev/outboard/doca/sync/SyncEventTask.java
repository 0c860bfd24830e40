package dev.outboard.doca.sync;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.SubmitFlag;
import dev.outboard.doca.Task;
import dev.outboard.doca.spi.EventCell;
import java.util.Set;

/// A task of a [SyncEventCtx].
public abstract sealed class SyncEventTask extends Task
        permits GetTask, NotifySetTask, NotifyAddTask, WaitTask {
    private final SyncEventCtx ctx;
    private final SyncEventTaskType kind;

    SyncEventTask(SyncEventCtx ctx, SyncEventTaskType kind) {
        super(ctx);
        this.ctx = ctx;
        this.kind = kind;
    }

    @Override
    public final SyncEventCtx ctx() {
        return ctx;
    }

    @Override
    public final DocaError submit() {
        return ctx.submit(this);
    }

    /// Like [#submit()]: none is held back.
    @Override
    public final DocaError submit(Set<SubmitFlag> flags) {
        return flags == null ? DocaError.INVALID_VALUE : ctx.submit(this);
    }

    @Override
    public final DocaError trySubmit() {
        return ctx.submit(this);
    }

    final SyncEventTaskType kind() {
        return kind;
    }

    /// Whether [#attempt] would complete it.
    boolean isReady(EventCell cell) {
        return true;
    }

    /// Does it, if the value allows.
    ///
    /// @return whether it is complete
    abstract boolean attempt(EventCell cell);
}
