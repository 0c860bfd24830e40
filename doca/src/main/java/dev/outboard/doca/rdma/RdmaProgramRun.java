package dev.outboard.doca.rdma;

import dev.outboard.doca.CtxRun;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.FailureCause;
import dev.outboard.fabric.CompletionStatus;
import java.time.Duration;

/// What an [Rdma] context does from start to stop whose operations programs of an execution
/// environment post: it looks after its connections.
final class RdmaProgramRun implements CtxRun {
    /// Programs hear of a connection that fails at once, and nobody tells the CPU.
    private static final long LOOK_NANOS = Duration.ofMillis(10).toNanos();

    private final Owner owner;
    private final RdmaControlPath control;
    private final Connections connections;

    RdmaProgramRun(Owner owner, RdmaControlPath control, Connections connections) {
        this.owner = owner;
        this.control = control;
        this.connections = connections;
    }

    @Override
    public CtxState begin() {
        return CtxState.RUNNING;
    }

    @Override
    public int poll(int max) {
        RdmaConnection failed = connections.nextFailed();
        if (failed != null) {
            control.failed(failed, FailureCause.Transport.of(CompletionStatus.GENERAL_ERROR));
            return 1;
        }
        if (!control.device().isOpen() && owner.state() == CtxState.RUNNING) {
            owner.fail(FailureCause.Transport.of(CompletionStatus.GENERAL_ERROR));
            return 1;
        }
        return control.letGo();
    }

    @Override
    public boolean arm() {
        return control.hasWork() || !control.device().isOpen();
    }

    @Override
    public long lookAgainNanos() {
        return LOOK_NANOS;
    }

    @Override
    public void shut() {
        control.shut();
    }

    @Override
    public boolean isShut() {
        return control.isShut();
    }

    @Override
    public void release() {
        control.release();
    }
}
