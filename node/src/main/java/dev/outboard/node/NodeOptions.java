package dev.outboard.node;

import dev.outboard.naa.server.RoutineSet;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.node.offload.Target;
import java.util.Map;
import java.util.OptionalInt;

/// What a node is.
///
/// @param port it serves; 0 for any free one
/// @param routines it offers
/// @param targets where routines run, by their names; those that are not named run on the processor
/// @param metricsPort where it shows its counters to Prometheus, 0 for any free port; empty if
///   nowhere
/// @param server limits, dialect and who is told what happens
public record NodeOptions(
        int port,
        RoutineSet routines,
        Map<String, Target> targets,
        OptionalInt metricsPort,
        ServerOptions server) {
    public NodeOptions {
        targets = Map.copyOf(targets);
    }
}
