package dev.outboard.node;

import dev.outboard.fabric.Device;
import dev.outboard.naa.server.NaaServer;
import dev.outboard.naa.server.RoutineSet;
import dev.outboard.naa.server.ServerLog;
import dev.outboard.node.datapath.DataPaths;
import dev.outboard.node.offload.Targets;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// An accelerator node: a software NAA, its routines wherever they run, and its metrics. It runs on
/// threads of its own until it is closed.
///
/// ```java
/// try (Device device = Fabric.open("roce://auto");
///         Node node = Node.start(device, options, log)) {
///     …
/// }
/// ```
public final class Node implements AutoCloseable {
    private final RoutineSet routines;
    private final NaaServer server;
    private final Runnable closeTargets;
    private final ServerLog log;
    private @Nullable MetricsEndpoint metrics;

    private Node(RoutineSet routines, NaaServer server, Runnable closeTargets, ServerLog log) {
        this.routines = routines;
        this.server = server;
        this.closeTargets = closeTargets;
        this.log = log;
    }

    /// Starts serving on a device of the caller's, which stays open when the node is closed.
    ///
    /// @param log takes what it says; its counters are shown, too
    /// @throws IllegalArgumentException if a routine or its target is none, or a function code none
    ///   of the dialect
    /// @throws dev.outboard.fabric.FabricException if the port is taken
    /// @throws java.io.UncheckedIOException if that of the metrics is
    public static Node start(Device device, NodeOptions options, ServerLog log) {
        Optional<DataPaths> path =
                DataPaths.open(
                        options.routines(),
                        device,
                        options.targets(),
                        options.server().routineLimit(),
                        log::say);
        Node made =
                path.isPresent()
                        ? onDataPath(device, options, path.get(), log)
                        : onProcessors(device, options, log);
        try {
            options.metricsPort().ifPresent(port -> made.show(device, port));
            return made;
        } catch (RuntimeException e) {
            made.close();
            throw e;
        }
    }

    private static Node onProcessors(Device device, NodeOptions options, ServerLog log) {
        Targets targets = Targets.open(options.routines(), device, options.targets(), log::say);
        try {
            NaaServer server =
                    NaaServer.start(device, options.port(), targets.routines(), options.server());
            return new Node(targets.routines(), server, targets::close, log);
        } catch (RuntimeException e) {
            targets.close();
            throw e;
        }
    }

    private static Node onDataPath(
            Device device, NodeOptions options, DataPaths path, ServerLog log) {
        try {
            NaaServer server =
                    NaaServer.start(
                            device, options.port(), path.routines(), options.server(), path.path());
            return new Node(path.routines(), server, path::close, log);
        } catch (RuntimeException e) {
            path.close();
            throw e;
        }
    }

    private void show(Device device, int port) {
        metrics = MetricsEndpoint.start(device.address(), port, this::counters);
    }

    /// The port it serves.
    public int port() {
        return server.port();
    }

    /// How many routines it offers.
    public int routines() {
        return routines.routines().size();
    }

    /// Where Prometheus finds its counters.
    public Optional<String> metricsUrl() {
        return Optional.ofNullable(metrics).map(MetricsEndpoint::url);
    }

    /// What it and its log have counted; see [NaaServer#counters]. Also after it was closed.
    public Map<String, Long> counters() {
        Map<String, Long> all = new TreeMap<>(server.counters());
        all.putAll(log.counters());
        return all;
    }

    /// Turns new clients and RPCs away, lets running ones end within the limit, and frees
    /// everything; see [NaaServer#close].
    @Override
    public void close() {
        if (metrics != null) {
            metrics.close();
        }
        server.close();
        closeTargets.run();
    }
}
