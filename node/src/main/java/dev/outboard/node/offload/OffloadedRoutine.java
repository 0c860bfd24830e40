package dev.outboard.node.offload;

import dev.outboard.naa.server.Routine;
import dev.outboard.node.watch.NodeTrace;

/// A routine that something else than a processor of the node computes. What goes wrong there costs
/// the RPC a code of [TargetError], with the reason in the log, and nobody else anything.
public interface OffloadedRoutine extends Routine, AutoCloseable {
    /// Whether a run waits for what computes, and needs no processor of the node meanwhile.
    default boolean isWaiting() {
        return false;
    }

    /// Shows its runs in a trace from now on. Called once, before the first.
    default void show(NodeTrace trace) {
        // It has nothing to tell.
    }

    /// Gives up what computes it. No RPC runs any more.
    @Override
    void close();
}
