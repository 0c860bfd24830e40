package dev.outboard.node.datapath;

import dev.outboard.ccip.rtl.RtlBuild;
import dev.outboard.dpa.trace.Trace;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.naa.server.ClientQueues;
import dev.outboard.naa.server.RoutineSet;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.node.offload.AfuFunction;
import dev.outboard.node.offload.EdgeTarget;
import dev.outboard.node.offload.KernelLanguage;
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
/// When the node offers others, those who connect from then on have another path; the clients that
/// are there stay with theirs.
public final class DataPaths implements ClientQueues.Maker, AutoCloseable {
    private final Device device;
    private final Duration limit;
    private final Consumer<String> log;

    // Guarded by this

    private DpaDataPath path;
    private RoutineSet routines;

    private DataPaths(
            RoutinePlan plan, Target target, Device device, Duration limit, Consumer<String> log) {
        this.device = device;
        this.limit = limit;
        this.log = log;
        routines = offered(plan, target);
        path = open(routines, target, plan.kernels());
    }

    /// Opens the data path that routines are wanted on.
    ///
    /// @param limit how long a call may take; zero for no limit
    /// @param log takes a line about what computes them, and why a call has failed
    /// @return empty if none is
    /// @throws IllegalArgumentException if routines are wanted there and elsewhere, or one is not
    ///   for it
    public static Optional<DataPaths> open(
            RoutinePlan plan, Device device, Duration limit, Consumer<String> log) {
        return target(plan).map(target -> new DataPaths(plan, target, device, limit, log));
    }

    /// Which data path the routines are on, if they are.
    private static Optional<Target> target(RoutinePlan plan) {
        Set<Target> targets = new TreeSet<>();
        plan.places()
                .values()
                .forEach(place -> {
                    targets.add(place.target());
                    place.second().ifPresent(targets::add);
                });
        Optional<Target> onPath = targets.stream().filter(Target::isDataPath).findFirst();
        if (onPath.isPresent() && targets.size() > 1) {
            throw new IllegalArgumentException(
                    "routines on targets %s: with '%s' the processors of the node see no RPC, so that all its routines are there"
                            .formatted(
                                    targets.stream().map(Target::word).toList(),
                                    onPath.get().word()));
        }
        return onPath;
    }

    private static RoutineSet offered(RoutinePlan plan, Target target) {
        RoutineSet offered = plan.routines().only(plan.places().keySet());
        offered.routines().forEach(spec -> Targets.requireFor(spec, target));
        return offered;
    }

    private DpaDataPath open(RoutineSet offered, Target target, KernelLanguage kernels) {
        NodePrograms programs = NodePrograms.in(kernels);
        List<RoutineSpec> routines = offered.routines();
        Set<Integer> codes =
                routines.stream().map(RoutineSpec::functionCode).collect(Collectors.toSet());
        return target == Target.DPA_HANDLER
                ? DpaDataPath.of(device, program(routines, programs.computing()), codes, limit)
                : DpaDataPath.chain(
                        device, programs.forwarding(), codes, function(routines, log), limit, log);
    }

    /// Has those who connect from now on find other routines. What the others have is closed when
    /// the last of them has left.
    ///
    /// @return the other routines
    /// @throws IllegalArgumentException as [#open(RoutinePlan, Device, Duration, Consumer)] does,
    ///   or if they are not on a data path; then nothing changes
    public RoutineSet offer(RoutinePlan plan) {
        Target target =
                target(plan)
                        .orElseThrow(() ->
                                new IllegalArgumentException(
                                        "a node is on the data path from its start or not at all; start another one"));
        RoutineSet offered = offered(plan, target);
        DpaDataPath next = open(offered, target, plan.kernels());
        synchronized (this) {
            path.retire();
            path = next;
            routines = offered;
        }
        return offered;
    }

    /// What those who connect find.
    public synchronized RoutineSet routines() {
        return routines;
    }

    /// Begins a trace of what those have who connect.
    public synchronized Trace trace() {
        return path.trace();
    }

    @Override
    public synchronized ClientQueues make(
            ConnectionId id, ProtectionDomain domain, int maxSends, int maxReceives) {
        return path.make(id, domain, maxSends, maxReceives);
    }

    /// The one whose handler computes all of them.
    private static HandlerProgram program(List<RoutineSpec> offered, HandlerProgram computing) {
        List<HandlerProgram> programs =
                offered.stream()
                        .map(spec ->
                                spec.routine() instanceof HandledOffload handled
                                        ? handled.program()
                                        : computing)
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
    public synchronized void close() {
        path.close();
    }
}
