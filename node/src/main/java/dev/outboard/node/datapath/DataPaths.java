package dev.outboard.node.datapath;

import dev.outboard.ccip.rtl.RtlBuild;
import dev.outboard.fabric.Device;
import dev.outboard.naa.server.RoutineSet;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.node.offload.AfuFunction;
import dev.outboard.node.offload.EdgeTarget;
import dev.outboard.node.offload.RoutinePlan;
import dev.outboard.node.offload.RtlOffload;
import dev.outboard.node.offload.Target;
import dev.outboard.node.offload.Targets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/// The data path of a node whose routines run there. Whoever brings an RPC cannot tell for which
/// routine before it has arrived, so that all routines of such a node are on it.
///
/// @param routines what the node offers
public record DataPaths(DpaDataPath path, RoutineSet routines) implements AutoCloseable {
    static final HandlerProgram FORWARDING =
            new HandlerProgram(
                    NodeHandlersStub.APP, NodeHandlersStub.forward, NodeHandlersStub::send);
    private static final HandlerProgram COMPUTING =
            new HandlerProgram(
                    NodeHandlersStub.APP, NodeHandlersStub.compute, NodeHandlersStub::send);

    /// Opens the data path that routines are wanted on.
    ///
    /// @param limit how long a call may take; zero for no limit
    /// @param log takes a line about what computes them, and why a call has failed
    /// @return empty if none is
    /// @throws IllegalArgumentException if routines are wanted there and elsewhere, or one is not
    ///   for it
    public static Optional<DataPaths> open(
            RoutinePlan plan, Device device, Duration limit, Consumer<String> log) {
        Set<Target> targets = new TreeSet<>();
        plan.places()
                .values()
                .forEach(place -> {
                    targets.add(place.target());
                    place.second().ifPresent(targets::add);
                });
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
        RoutineSet offered = plan.routines().only(plan.places().keySet());
        offered.routines().forEach(spec -> Targets.requireFor(spec, target));
        DpaDataPath path =
                target == Target.DPA_HANDLER
                        ? DpaDataPath.of(device, program(offered.routines()), limit)
                        : chain(offered.routines(), device, limit, log);
        return Optional.of(new DataPaths(path, offered));
    }

    /// The one whose handler computes all of them.
    private static HandlerProgram program(List<RoutineSpec> offered) {
        List<HandlerProgram> programs =
                offered.stream()
                        .map(spec ->
                                spec.routine() instanceof HandledOffload handled
                                        ? handled.program()
                                        : COMPUTING)
                        .distinct()
                        .toList();
        if (programs.size() > 1) {
            throw new IllegalArgumentException(
                    "routines %s are of %d programs of the DPA; a node has one on its data path"
                            .formatted(
                                    offered.stream().map(RoutineSpec::name).toList(),
                                    programs.size()));
        }
        return programs.getFirst();
    }

    private static DpaDataPath chain(
            List<RoutineSpec> offered, Device device, Duration limit, Consumer<String> log) {
        return DpaDataPath.chain(
                device,
                FORWARDING,
                offered.stream().map(RoutineSpec::functionCode).collect(Collectors.toSet()),
                function(offered, log),
                limit,
                log);
    }

    /// The one that computes all of them.
    private static AfuFunction function(List<RoutineSpec> offered, Consumer<String> log) {
        List<Optional<RtlOffload>> functions =
                offered.stream()
                        .map(spec ->
                                spec.routine() instanceof RtlOffload own
                                        ? Optional.of(own)
                                        : Optional.<RtlOffload>empty())
                        .distinct()
                        .toList();
        if (functions.size() > 1) {
            throw new IllegalArgumentException(
                    "routines %s are %d functions of FPGAs; a node has one on its data path"
                            .formatted(
                                    offered.stream().map(RoutineSpec::name).toList(),
                                    functions.size()));
        }
        return functions
                .getFirst()
                .map(own -> own.function(log))
                .orElseGet(() -> EdgeTarget.function(Target.CHAIN, RtlBuild::onThisMachine, log));
    }

    @Override
    public void close() {
        path.close();
    }
}
