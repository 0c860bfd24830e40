package dev.outboard.node.offload;

import dev.outboard.naa.server.RoutineSet;
import java.util.Map;

/// What a node offers, and what computes it.
///
/// @param routines all of them
/// @param places where routines run, by their names; those that are not named run on the processor
/// @param limits of targets; those that are not named have none
public record RoutinePlan(
        RoutineSet routines, Map<String, Placement> places, Map<Target, TargetLimit> limits) {
    public RoutinePlan {
        places = Map.copyOf(places);
        limits = Map.copyOf(limits);
    }

    /// Everything on the processor.
    public static RoutinePlan of(RoutineSet routines) {
        return new RoutinePlan(routines, Map.of(), Map.of());
    }
}
