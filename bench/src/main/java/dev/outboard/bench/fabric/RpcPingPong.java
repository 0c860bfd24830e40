package dev.outboard.bench.fabric;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.naa.RegionSpec;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.server.NaaServer;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.node.routine.RoutineCatalog;
import java.lang.foreign.Arena;
import java.time.Duration;

/// An RPC of the empty routine over RoCEv2 on loopback, client and node in this process, each on a
/// device of its own.
public final class RpcPingPong implements RoundTrip {
    private static final String LOOPBACK = "roce://auto?peer=127.0.0.1";
    private static final long PAGE_BYTES = 4096;

    private final Arena arena = Arena.ofShared();
    private final Device far;
    private final NaaServer server;
    private final Device near;
    private final NaaClient client;

    /// Starts a node and connects to it.
    ///
    /// @param bytes of the input region, and of the output region
    public RpcPingPong(long bytes) {
        this(bytes, false);
    }

    /// Starts a node and connects to it.
    ///
    /// @param bytes of the input region, and of the output region
    /// @param blocking whether both sides sleep at once instead of polling
    public RpcPingPong(long bytes, boolean blocking) {
        Duration spin = blocking ? Duration.ZERO : ServerOptions.POLLED;
        far = Fabric.open(LOOPBACK);
        ServerOptions polled =
                ServerOptions.builder().spin(spin).maxConnectionBytes(Long.MAX_VALUE).build();
        server = NaaServer.start(far, 0, RoutineCatalog.ROUTINES, polled);
        near = Fabric.open(LOOPBACK);
        client =
                NaaClient.builder(far.address().getHostAddress(), server.port())
                        .device(near)
                        .functionCode(RoutineCatalog.EMPTY)
                        .region(RegionSpec.input(arena.allocate(bytes, PAGE_BYTES)))
                        .region(RegionSpec.output(arena.allocate(bytes, PAGE_BYTES)))
                        .spin(spin)
                        .open();
    }

    @Override
    public void exchange() {
        client.invoke();
    }

    @Override
    public void close() {
        client.close();
        near.close();
        server.close();
        far.close();
        arena.close();
    }
}
