package dev.outboard.bench.fabric;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.naa.RegionSpec;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.client.NaaClientBuilder;
import dev.outboard.node.routine.RoutineCatalog;
import java.lang.foreign.Arena;

/// A device on loopback for the clients of one node, which is in this process or in another.
final class LoopbackClients implements AutoCloseable {
    static final String LOOPBACK = "roce://auto?peer=127.0.0.1";

    private static final long PAGE_BYTES = 4096;

    private final Arena arena = Arena.ofShared();
    private final String host;
    private final int port;
    private final Device device;

    /// Clients of the node at `host`.
    LoopbackClients(String host, int port) {
        this.host = host;
        this.port = port;
        device = Fabric.open(LOOPBACK);
    }

    /// A client of the empty routine, still to be opened; it is closed before the device.
    ///
    /// @param bytes of its input region, and of its output region
    NaaClientBuilder client(long bytes) {
        return NaaClient.builder(host, port)
                .device(device)
                .functionCode(RoutineCatalog.EMPTY)
                .region(RegionSpec.input(arena.allocate(bytes, PAGE_BYTES)))
                .region(RegionSpec.output(arena.allocate(bytes, PAGE_BYTES)));
    }

    @Override
    public void close() {
        device.close();
        arena.close();
    }
}
