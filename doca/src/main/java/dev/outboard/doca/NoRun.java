package dev.outboard.doca;

import java.util.List;

/// What a context does while it is idle: nothing.
final class NoRun implements CtxRun {
    static final NoRun INSTANCE = new NoRun();

    private NoRun() {}

    @Override
    public CtxState begin() {
        return CtxState.IDLE;
    }

    @Override
    public int poll(int max) {
        return 0;
    }

    @Override
    public boolean arm() {
        return false;
    }

    @Override
    public DocaError submitAll(List<? extends Task> tasks, boolean strictly, boolean flushing) {
        return DocaError.BAD_STATE;
    }

    @Override
    public void shut() {}

    @Override
    public boolean isShut() {
        return true;
    }

    @Override
    public void release() {}
}
