package dev.outboard.node;

import dev.outboard.naa.server.ServerOptions;
import dev.outboard.node.offload.RoutinePlan;
import java.util.OptionalInt;

/// What a node is.
///
/// @param port it serves; 0 for any free one
/// @param routines it offers, until [Node#offer]
/// @param metricsPort where it shows its counters to Prometheus, 0 for any free port; empty if
///   nowhere
/// @param server limits, dialect and who is told what happens
public record NodeOptions(
        int port, RoutinePlan routines, OptionalInt metricsPort, ServerOptions server) {}
