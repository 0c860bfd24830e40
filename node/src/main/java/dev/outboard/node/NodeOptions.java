package dev.outboard.node;

import dev.outboard.naa.server.ServerOptions;
import dev.outboard.node.offload.RoutinePlan;
import dev.outboard.node.watch.NodeTrace;
import java.util.Optional;
import java.util.OptionalInt;

/// What a node is.
///
/// @param port it serves; 0 for any free one
/// @param routines it offers, until [Node#offer]
/// @param metricsPort where it shows its counters to Prometheus, 0 for any free port; empty if
///   nowhere
/// @param server limits, dialect and who is told what happens
/// @param trace shows each run of a routine, what computes it, and the packets of the device; it is
///   an observer of the server, too
public record NodeOptions(
        int port,
        RoutinePlan routines,
        OptionalInt metricsPort,
        ServerOptions server,
        Optional<NodeTrace> trace) {
    /// Without a trace.
    public NodeOptions(
            int port, RoutinePlan routines, OptionalInt metricsPort, ServerOptions server) {
        this(port, routines, metricsPort, server, Optional.empty());
    }
}
