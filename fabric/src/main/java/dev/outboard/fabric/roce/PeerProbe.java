package dev.outboard.fabric.roce;

import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.ConnectionChannel;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.Finding;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.spi.DeviceUri;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// Finds out whether a peer speaks RoCE, by asking it for a connection to a port that hardly
/// anybody listens on: any answer will do, a refusal included.
final class PeerProbe {
    /// Of the TCP port multiplexer, which nobody runs over RDMA.
    private static final int UNLIKELY_PORT = 1;

    /// The connection manager asks three times meanwhile.
    private static final Duration PATIENCE = Duration.ofSeconds(4);

    private PeerProbe() {}

    static Finding ask(InetAddress local, InetAddress peer) {
        DeviceUri plain = new DeviceUri("roce", local.getHostAddress(), Map.of());
        try (Device device = Fabric.open(plain.toString());
                ConnectionChannel channel = device.createConnectionChannel()) {
            ProtectionDomain domain = device.allocateProtectionDomain();
            CompletionQueue queue = device.createCompletionQueue(1);
            ConnectionId id = channel.createId();
            id.createQueuePair(domain, QueuePairAttributes.of(queue, 1, 1));
            long start = System.nanoTime();
            return answers(channel, id, peer)
                    ? speaks(peer, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start))
                    : silent(peer);
        }
    }

    private static boolean answers(ConnectionChannel channel, ConnectionId id, InetAddress peer) {
        id.resolveAddress(new InetSocketAddress(peer, UNLIKELY_PORT), PATIENCE);
        if (!comes(channel, ConnectionEvent.Type.ADDRESS_RESOLVED)) {
            return false;
        }
        id.resolveRoute(PATIENCE);
        if (!comes(channel, ConnectionEvent.Type.ROUTE_RESOLVED)) {
            return false;
        }
        id.connect(ConnectionParameters.defaults());
        return comes(channel, ConnectionEvent.Type.REJECTED, ConnectionEvent.Type.ESTABLISHED);
    }

    private static boolean comes(ConnectionChannel channel, ConnectionEvent.Type... expected) {
        return channel.next(PATIENCE)
                .filter(event -> List.of(expected).contains(event.type()))
                .isPresent();
    }

    private static Finding speaks(InetAddress peer, long millis) {
        return Finding.ok(
                "peer", peer.getHostAddress() + " speaks RoCE, it answered in " + millis + " ms");
    }

    private static Finding silent(InetAddress peer) {
        return Finding.fail(
                "peer",
                peer.getHostAddress() + " does not answer on UDP port 4791",
                "see that a node or a RoCE device runs there, and that no firewall or NAT stands"
                        + " between");
    }
}
