package dev.outboard.node.datapath;

import dev.outboard.ccip.afu.example.EdgeDetector;
import dev.outboard.fabric.Device;
import dev.outboard.naa.server.RoutineSet;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.node.offload.Target;
import dev.outboard.node.routine.RoutineCatalog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/// The data path of a node whose routines run there. Whoever brings an RPC cannot tell for which
/// routine before it has arrived, so that all routines of such a node are on it.
///
/// @param routines what the node offers
public record DataPaths(DpaDataPath path, RoutineSet routines) implements AutoCloseable {
    private static final HandlerProgram COMPUTING =
            new HandlerProgram(
                    NodeHandlersStub.APP, NodeHandlersStub.compute, NodeHandlersStub::send);
    private static final HandlerProgram FORWARDING =
            new HandlerProgram(
                    NodeHandlersStub.APP, NodeHandlersStub.forward, NodeHandlersStub::send);

    /// What these two compute.
    private static final Map<Target, Set<Integer>> KNOWN =
            Map.of(
                    Target.DPA_HANDLER,
                    Set.of(RoutineCatalog.EMPTY, RoutineCatalog.EDGE_DETECTION),
                    Target.CHAIN,
                    Set.of(RoutineCatalog.EDGE_DETECTION));

    /// Opens the data path that routines are wanted on.
    ///
    /// @param routines that there are
    /// @param wanted by the names of routines
    /// @param limit how long a call may take; zero for no limit
    /// @param log is told why a call has failed
    /// @return empty if none is
    /// @throws IllegalArgumentException if routines are wanted there and elsewhere, or one is not
    ///   for it
    public static Optional<DataPaths> open(
            RoutineSet routines,
            Device device,
            Map<String, Target> wanted,
            Duration limit,
            Consumer<String> log) {
        Set<Target> targets = new TreeSet<>(wanted.values());
        Optional<Target> onPath = targets.stream().filter(Target::isDataPath).findFirst();
        if (onPath.isEmpty()) {
            return Optional.empty();
        }
        Target target = onPath.get();
        if (targets.size() > 1) {
            throw new IllegalArgumentException(
                    "routines on targets %s: with '%s' the processors of the node see no RPC, so that all its routines are there"
                            .formatted(targets.stream().map(Target::word).toList(), target.word()));
        }
        List<RoutineSpec> offered = new ArrayList<>();
        for (String name : wanted.keySet()) {
            offered.add(routine(name, routines, target));
        }
        Duration most = limit.isZero() ? DpaDataPath.LONGEST_CALL : limit;
        DpaDataPath path =
                target == Target.CHAIN
                        ? DpaDataPath.chain(
                                device,
                                FORWARDING,
                                EdgeDetector::new,
                                EdgeDetector.AFU_ID,
                                most,
                                log)
                        : DpaDataPath.of(device, program(offered));
        return Optional.of(new DataPaths(path, RoutineSet.of(offered.toArray(RoutineSpec[]::new))));
    }

    private static RoutineSpec routine(String name, RoutineSet routines, Target target) {
        RoutineSpec found =
                routines.routines().stream()
                        .filter(spec -> spec.name().equals(name))
                        .findAny()
                        .orElseThrow(() ->
                                new IllegalArgumentException(
                                        "routine '%s'; valid: %s"
                                                .formatted(
                                                        name,
                                                        routines.routines().stream()
                                                                .map(RoutineSpec::name)
                                                                .toList())));
        boolean isKnown =
                handler(found).isPresent()
                        ? target == Target.DPA_HANDLER
                        : KNOWN.getOrDefault(target, Set.of()).contains(found.functionCode());
        if (!isKnown) {
            throw new IllegalArgumentException(
                    "routine '%s' is not for target '%s'".formatted(name, target.word()));
        }
        return found;
    }

    private static Optional<HandlerProgram> handler(RoutineSpec spec) {
        return spec.routine() instanceof HandledOffload handled
                ? Optional.of(handled.program())
                : Optional.empty();
    }

    /// The one whose handler computes all of them.
    private static HandlerProgram program(List<RoutineSpec> offered) {
        List<HandlerProgram> programs =
                offered.stream().map(spec -> handler(spec).orElse(COMPUTING)).distinct().toList();
        if (programs.size() > 1) {
            throw new IllegalArgumentException(
                    "routines %s are of %d programs of the DPA; a node has one on its data path"
                            .formatted(
                                    offered.stream().map(RoutineSpec::name).toList(),
                                    programs.size()));
        }
        return programs.getFirst();
    }

    @Override
    public void close() {
        path.close();
    }
}
