import org.jspecify.annotations.NullMarked;

/// The NAA RPC protocol: messages, client and software server.
@NullMarked
module dev.outboard.naa {
    requires transitive dev.outboard.fabric;
    requires jdk.management;
    requires static org.jspecify;

    exports dev.outboard.naa;

    uses dev.outboard.naa.RoutineProvider;
}
