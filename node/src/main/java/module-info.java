import org.jspecify.annotations.NullMarked;

/// An accelerator node: the NAA server, its routines and its telemetry.
@NullMarked
module dev.outboard.node {
    requires transitive dev.outboard.ccip;
    requires transitive dev.outboard.dpa;
    requires transitive dev.outboard.naa;
    requires jdk.httpserver;
    requires static org.jspecify;

    exports dev.outboard.node;
    exports dev.outboard.node.datapath;
    exports dev.outboard.node.routine;
    exports dev.outboard.node.offload;

    provides dev.outboard.naa.server.RoutineProvider with
            dev.outboard.node.routine.RoutineCatalog;
}
