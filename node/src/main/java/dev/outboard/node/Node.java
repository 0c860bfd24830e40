package dev.outboard.node;

import dev.outboard.fabric.Device;
import dev.outboard.naa.server.NaaServer;
import dev.outboard.naa.server.RoutineSet;
import dev.outboard.naa.server.ServerLog;
import dev.outboard.node.datapath.DataPaths;
import dev.outboard.node.offload.Placement;
import dev.outboard.node.offload.RoutinePlan;
import dev.outboard.node.offload.Target;
import dev.outboard.node.offload.Targets;
import dev.outboard.node.watch.NodeTrace;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
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
    private final Optional<DataPaths> path;
    private final Optional<NodeTrace> trace;
    private final NaaServer server;
    private final ServerLog log;

    /// What computes calls that were admitted before others were offered.
    private final Set<Targets> retired = new HashSet<>();

    private volatile Targets targets;
    private @Nullable MetricsEndpoint metrics;

    private Node(
            Targets targets,
            Optional<DataPaths> path,
            Optional<NodeTrace> trace,
            NaaServer server,
            ServerLog log) {
        this.targets = targets;
        this.path = path;
        this.trace = trace;
        this.server = server;
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
        options.trace().ifPresent(trace -> trace.watch(device));
        try {
            return started(device, options, log);
        } catch (RuntimeException e) {
            options.trace().ifPresent(NodeTrace::end);
            throw e;
        }
    }

    private static Node started(Device device, NodeOptions options, ServerLog log) {
        Optional<DataPaths> path =
                DataPaths.open(
                        options.routines(),
                        device,
                        options.server().routineLimit(),
                        line -> log.say("functions", line));
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
        Targets targets = Targets.open(options.routines(), device, log);
        options.trace().ifPresent(targets::show);
        try {
            return new Node(
                    targets,
                    Optional.empty(),
                    options.trace(),
                    NaaServer.start(
                            device,
                            options.port(),
                            traced(targets.routines(), options.trace()),
                            options.server()),
                    log);
        } catch (RuntimeException e) {
            targets.close();
            throw e;
        }
    }

    private static Node onDataPath(
            Device device, NodeOptions options, DataPaths path, ServerLog log) {
        options.trace().ifPresent(trace -> trace.add(path.trace()));
        Targets idle = Targets.open(RoutinePlan.of(RoutineSet.of()), device, log);
        try {
            return new Node(
                    idle,
                    Optional.of(path),
                    options.trace(),
                    NaaServer.start(
                            device, options.port(), path.routines(), options.server(), path),
                    log);
        } catch (RuntimeException e) {
            path.close();
            throw e;
        }
    }

    private static RoutineSet traced(RoutineSet routines, Optional<NodeTrace> trace) {
        return trace.map(one -> one.around(routines)).orElse(routines);
    }

    /// Offers other routines from now on, or the same ones elsewhere; the clients stay. Calls that
    /// have begun end with the routine they have begun with, and what computes it is closed then.
    /// On a data path, clients stay with what they have found. One thread at a time may call.
    ///
    /// @throws IllegalArgumentException as [#start] does; then nothing changes
    /// @throws RuntimeException if a target cannot be opened; then nothing changes
    public void offer(RoutinePlan plan) {
        if (path.isPresent()) {
            server.offer(path.get().offer(plan), () -> {});
            trace.ifPresent(one -> one.add(path.get().trace()));
            return;
        }
        plan.places().forEach(Node::requireProcessors);
        Targets before = targets;
        Targets next = before.followedBy(plan);
        try {
            synchronized (retired) {
                retired.add(before);
            }
            server.offer(
                    traced(next.routines(), trace),
                    () -> Thread.startVirtualThread(() -> closeRetired(before)));
            next.applyLimits();
            targets = next;
        } catch (RuntimeException e) {
            synchronized (retired) {
                retired.remove(before);
            }
            next.close();
            throw e;
        }
    }

    private static void requireProcessors(String routine, Placement place) {
        Stream.concat(Stream.of(place.target()), place.second().stream())
                .filter(Target::isDataPath)
                .findFirst()
                .ifPresent(target -> {
                    throw new IllegalArgumentException(
                            "routine '%s' on target '%s': a node is on the data path from its start or not at all; start another one"
                                    .formatted(routine, target.word()));
                });
    }

    private void closeRetired(Targets unused) {
        synchronized (retired) {
            if (retired.remove(unused)) {
                unused.close();
            }
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
        RoutineSet offered = path.map(DataPaths::routines).orElseGet(targets::routines);
        return offered.routines().size();
    }

    /// Where Prometheus finds its counters.
    public Optional<String> metricsUrl() {
        return Optional.ofNullable(metrics).map(MetricsEndpoint::url);
    }

    /// What it and its log have counted; see [NaaServer#counters]. Also after it was closed.
    public Map<String, Long> counters() {
        Map<String, Long> all = new TreeMap<>(server.counters());
        all.putAll(log.counters());
        targets.counters().forEach(all::putIfAbsent);
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
        synchronized (retired) {
            retired.forEach(Targets::close);
            retired.clear();
        }
        targets.close();
        path.ifPresent(DataPaths::close);
        trace.ifPresent(NodeTrace::end);
    }
}
