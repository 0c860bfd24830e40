package dev.outboard.bench.fabric;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.naa.server.NaaServer;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.node.routine.RoutineCatalog;

/// A node over RoCEv2 on loopback, in this process.
final class LoopbackNode implements AutoCloseable {
    private final Device device;
    private final NaaServer server;

    /// Starts the node.
    LoopbackNode(ServerOptions options) {
        device = Fabric.open(LoopbackClients.LOOPBACK);
        server = NaaServer.start(device, 0, RoutineCatalog.ROUTINES, options);
    }

    /// Starts a node for so many clients, with what a node has without options otherwise.
    LoopbackNode(int clients) {
        this(
                ServerOptions.builder()
                        .maxConnections(clients)
                        .maxAddressConnections(clients)
                        .build());
    }

    String host() {
        return device.address().getHostAddress();
    }

    int port() {
        return server.port();
    }

    @Override
    public void close() {
        server.close();
        device.close();
    }
}
