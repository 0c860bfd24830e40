package dev.outboard.node.offload;

import dev.outboard.naa.server.Routine;

/// A routine that something else than a processor of the node computes. What goes wrong there costs
/// the RPC a code of [TargetError], with the reason in the log, and nobody else anything.
public interface OffloadedRoutine extends Routine, AutoCloseable {
    /// Gives up what computes it. No RPC runs any more.
    @Override
    void close();
}
