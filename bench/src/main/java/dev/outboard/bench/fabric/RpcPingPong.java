package dev.outboard.bench.fabric;

import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.server.ServerOptions;
import java.time.Duration;

/// An RPC of the empty routine over RoCEv2 on loopback, client and node in this process, each on a
/// device of its own.
public final class RpcPingPong implements RoundTrip {
    private final LoopbackNode node;
    private final LoopbackClients clients;
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
        node =
                new LoopbackNode(
                        ServerOptions.builder()
                                .spin(spin)
                                .maxConnectionBytes(Long.MAX_VALUE)
                                .build());
        clients = new LoopbackClients(node.host(), node.port());
        client = clients.client(bytes).spin(spin).open();
    }

    @Override
    public void exchange() {
        client.invoke();
    }

    @Override
    public void close() {
        client.close();
        clients.close();
        node.close();
    }
}
