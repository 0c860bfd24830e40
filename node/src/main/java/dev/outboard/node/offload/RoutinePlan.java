package dev.outboard.node.offload;

import dev.outboard.naa.server.RoutineSet;
import java.util.Map;

/// What a node offers, and what computes it.
///
/// @param routines all of them
/// @param places where routines run, by their names; those that are not named run on the processor
/// @param limits of targets; those that are not named have none
/// @param kernels the language of those programs of the DPA that are the node's own
public record RoutinePlan(
        RoutineSet routines,
        Map<String, Placement> places,
        Map<Target, TargetLimit> limits,
        KernelLanguage kernels) {
    public RoutinePlan {
        places = Map.copyOf(places);
        limits = Map.copyOf(limits);
    }

    /// With programs of the DPA in Java.
    public RoutinePlan(
            RoutineSet routines, Map<String, Placement> places, Map<Target, TargetLimit> limits) {
        this(routines, places, limits, KernelLanguage.JAVA);
    }

    /// Everything on the processor.
    public static RoutinePlan of(RoutineSet routines) {
        return new RoutinePlan(routines, Map.of(), Map.of());
    }
}
