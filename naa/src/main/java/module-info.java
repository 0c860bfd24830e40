import org.jspecify.annotations.NullMarked;

/// The NAA RPC protocol: messages, client and software server.
@NullMarked
module dev.outboard.naa {
    requires transitive dev.outboard.fabric;
    requires jdk.management;
    requires static org.jspecify;

    exports dev.outboard.naa;
    exports dev.outboard.naa.client;
    exports dev.outboard.naa.server;

    uses dev.outboard.naa.server.RoutineProvider;
}
