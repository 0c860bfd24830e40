package dev.outboard.dpa.checker;

import java.util.ArrayDeque;
import java.util.Deque;

/// The snapshots of a run, and those that can be used again.
final class Snapshots {
    private final Deque<Snapshot> free = new ArrayDeque<>();
    private long stamps;

    /// A snapshot that the caller holds, with what is known now.
    Snapshot take(Knowledge of) {
        Snapshot snapshot = free.isEmpty() ? new Snapshot(of.actors()) : free.pop();
        snapshot.stamp = ++stamps;
        snapshot.knowledge.copyFrom(of);
        snapshot.hold();
        return snapshot;
    }

    void release(Snapshot snapshot) {
        if (snapshot.release()) {
            free.push(snapshot);
        }
    }
}
