package dev.outboard.bench.fabric;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.naa.RegionSpec;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.client.NaaClientBuilder;
import dev.outboard.naa.server.NaaServer;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.node.routine.RoutineCatalog;
import java.lang.foreign.Arena;

/// A node over RoCEv2 on loopback and a device for its clients, both in this process.
final class LoopbackNode implements AutoCloseable {
    private static final String LOOPBACK = "roce://auto?peer=127.0.0.1";
    private static final long PAGE_BYTES = 4096;

    private final Arena arena = Arena.ofShared();
    private final Device far;
    private final NaaServer server;
    private final Device near;

    /// Starts the node.
    LoopbackNode(ServerOptions options) {
        far = Fabric.open(LOOPBACK);
        server = NaaServer.start(far, 0, RoutineCatalog.ROUTINES, options);
        near = Fabric.open(LOOPBACK);
    }

    /// A client of the empty routine, still to be opened; it is closed before the node.
    ///
    /// @param bytes of its input region, and of its output region
    NaaClientBuilder client(long bytes) {
        return NaaClient.builder(far.address().getHostAddress(), server.port())
                .device(near)
                .functionCode(RoutineCatalog.EMPTY)
                .region(RegionSpec.input(arena.allocate(bytes, PAGE_BYTES)))
                .region(RegionSpec.output(arena.allocate(bytes, PAGE_BYTES)));
    }

    @Override
    public void close() {
        near.close();
        server.close();
        far.close();
        arena.close();
    }
}
