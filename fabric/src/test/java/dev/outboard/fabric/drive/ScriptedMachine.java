package dev.outboard.fabric.drive;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/// A machine whose turns do what a test says, and that tells which it had.
public final class ScriptedMachine implements Machine {
    /// One turn: whose, when, and what was asked for. A turn that only sends after an operation has
    /// no place here: see [#finished].
    public record Turn(Thread thread, long nowNanos, boolean receives, boolean looks) {}

    public final List<Turn> turns = new CopyOnWriteArrayList<>();

    /// When it was asked to send only, after an operation.
    public final List<Long> finished = new CopyOnWriteArrayList<>();

    /// What the next turn does, once.
    public volatile @Nullable Runnable next;

    /// Whether its turns find something to do although they have no such action.
    public volatile boolean works;

    /// After how many turns more it has nothing left to do at once.
    public volatile int left;

    /// Whether something waits for another turn.
    public volatile boolean isDeferring;

    public volatile long deadlineNanos = Long.MAX_VALUE;

    /// The turns of `thread`.
    public long turnsOf(Thread thread) {
        return turns.stream().filter(turn -> turn.thread().equals(thread)).count();
    }

    @Override
    public boolean turn(long nowNanos, boolean receives, boolean looks) {
        turns.add(new Turn(Thread.currentThread(), nowNanos, receives, looks));
        left = Math.max(0, left - 1);
        Runnable action = next;
        next = null;
        if (action != null) {
            action.run();
        }
        return works || action != null;
    }

    @Override
    public boolean finishTurn(long nowNanos) {
        finished.add(nowNanos);
        return false;
    }

    @Override
    public boolean hasMore() {
        return left > 0;
    }

    @Override
    public boolean isDeferring() {
        return isDeferring;
    }

    @Override
    public long deadlineNanos() {
        return deadlineNanos;
    }
}
