package dev.outboard.dpa.machine.explore;

import dev.outboard.dpa.model.Action;
import dev.outboard.dpa.model.Code;
import dev.outboard.dpa.model.Digest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Where an actor is: all that it has been given so far, and what it does next.
final class KernelNode implements Code {
    private final KernelTree tree;
    private final int id;
    private final Position position;
    private final Next next;
    private final boolean poll;
    private final Map<Long, KernelNode> children = new HashMap<>();

    /// How an actor came to a node.
    ///
    /// @param before the node before, whose action gave the last value of the history
    record Position(@Nullable KernelNode before, long[] history) {}

    /// What an actor does next.
    ///
    /// @param actions those that may be the next one; none if the program has ended
    /// @param fault whether it ended by a fault
    record Next(List<? extends Action> actions, boolean fault) {
        /// The program has ended.
        static final Next ENDED = new Next(List.of(), false);

        /// The program has done what the machine forbids.
        static final Next FAULT = new Next(List.of(), true);
    }

    KernelNode(KernelTree tree, int id, Position position, Next next, boolean poll) {
        this.tree = tree;
        this.id = id;
        this.position = position;
        this.next = next;
        this.poll = poll;
    }

    Position position() {
        return position;
    }

    Next next() {
        return next;
    }

    /// What the last action gave.
    long given() {
        return position.history[position.history.length - 1];
    }

    @Override
    public int thread() {
        return tree.thread();
    }

    @Override
    public boolean isOptional() {
        return tree.isServer();
    }

    @Override
    public boolean isEnded() {
        return next.actions().isEmpty();
    }

    @Override
    public int alternatives() {
        return next.actions().size();
    }

    @Override
    public Action action(int alternative) {
        return next.actions().get(alternative);
    }

    @Override
    public boolean isPoll() {
        return poll;
    }

    @Override
    public Code resume(int alternative, long result) {
        long value = next.actions().size() > 1 ? alternative : result;
        return children.computeIfAbsent(value, given -> tree.child(this, given));
    }

    @Override
    public boolean mayLoadWindow(int granule) {
        return !isEnded();
    }

    @Override
    public boolean mayReadAsNic(int granule) {
        return !isEnded() && tree.thread() < 0;
    }

    @Override
    public void digest(Digest digest) {
        digest.add(id);
    }
}
