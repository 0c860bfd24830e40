import org.jspecify.annotations.NullMarked;

/// An accelerator node: the NAA server, its routines and its telemetry.
@NullMarked
module dev.outboard.node {
    requires transitive dev.outboard.naa;
    requires static org.jspecify;

    exports dev.outboard.node.routine;

    provides dev.outboard.naa.server.RoutineProvider with
            dev.outboard.node.routine.RoutineCatalog;
}
