package dev.outboard.bench.node;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.client.NaaClientBuilder;
import dev.outboard.naa.server.ServerLog;
import dev.outboard.naa.server.ServerObserver;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.node.Node;
import dev.outboard.node.NodeOptions;
import dev.outboard.node.offload.Placement;
import dev.outboard.node.offload.RoutinePlan;
import dev.outboard.node.offload.Target;
import dev.outboard.node.routine.RoutineCatalog;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;

/// A node in this process, one routine of which runs on a target.
public final class TargetNode implements AutoCloseable {
    private final Device device;
    private final Node node;

    /// Starts one.
    ///
    /// @param deviceUri of its device
    public TargetNode(String deviceUri, String routine, Target target) {
        device = Fabric.open(deviceUri);
        try {
            node =
                    Node.start(
                            device,
                            new NodeOptions(
                                    0,
                                    new RoutinePlan(
                                            RoutineCatalog.ROUTINES,
                                            Map.of(routine, Placement.on(target)),
                                            Map.of()),
                                    OptionalInt.empty(),
                                    ServerOptions.builder()
                                            .probe(Duration.ofSeconds(1), Duration.ofSeconds(5))
                                            .observer(new ServerObserver() {})
                                            .build()),
                            new ServerLog(_ -> {}));
        } catch (RuntimeException e) {
            device.close();
            throw e;
        }
    }

    /// A client of it.
    public NaaClientBuilder client(Device from) {
        return NaaClient.builder(device.address().getHostAddress(), node.port()).device(from);
    }

    /// What it has counted.
    public Map<String, Long> counters() {
        return node.counters();
    }

    @Override
    public void close() {
        node.close();
        device.close();
    }
}
