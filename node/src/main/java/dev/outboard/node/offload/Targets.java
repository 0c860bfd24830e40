package dev.outboard.node.offload;

import dev.outboard.fabric.Device;
import dev.outboard.naa.server.Routine;
import dev.outboard.naa.server.RoutineException;
import dev.outboard.naa.server.RoutineSet;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.naa.server.RpcContext;
import dev.outboard.naa.server.ServerLog;
import dev.outboard.node.watch.NodeTrace;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/// The routines of a node with what computes them: processors, functions of FPGAs, kernels of DPAs.
/// When the node offers others, [#followedBy] opens what computes those; limits and counters go on.
///
/// A routine that has a second target runs there when the first cannot be opened, fails a call or
/// is busy. The regions are then as the client has sent them: the first target gets them with a
/// copy aside.
public final class Targets implements AutoCloseable {
    private final Device device;
    private final Opener opener;
    private final ServerLog log;
    private final Map<Target, TargetTurns> turns;

    /// How many calls the second targets of routines have computed.
    private final Map<String, LongAdder> fallbacks;

    private final List<OffloadedRoutine> opened = new ArrayList<>();
    private RoutineSet routines = RoutineSet.of();
    private KernelLanguage kernels = KernelLanguage.JAVA;
    private Map<Target, TargetLimit> limits = Map.of();
    private Optional<NodeTrace> trace = Optional.empty();

    /// Opens what computes a routine elsewhere than on a processor.
    interface Opener {
        OffloadedRoutine open(
                RoutineSpec spec, Target target, KernelLanguage kernels, Device device);
    }

    private Targets(
            Device device,
            Opener opener,
            ServerLog log,
            Map<Target, TargetTurns> turns,
            Map<String, LongAdder> fallbacks) {
        this.device = device;
        this.opener = opener;
        this.log = log;
        this.turns = turns;
        this.fallbacks = fallbacks;
    }

    /// Has routines run where they are wanted.
    ///
    /// @param device of the node
    /// @param log is told when a second target takes over
    /// @throws IllegalArgumentException if there is no such routine, or it is not for that target
    /// @throws RuntimeException if a target cannot be opened, unless there is a second one
    public static Targets open(RoutinePlan plan, Device device, ServerLog log) {
        return open(
                plan,
                device,
                log,
                (_, target, kernels, on) -> EdgeTarget.open(target, kernels, on, log::say));
    }

    static Targets open(RoutinePlan plan, Device device, ServerLog log, Opener opener) {
        Map<Target, TargetTurns> turns = new EnumMap<>(Target.class);
        for (Target target : Target.values()) {
            turns.put(target, new TargetTurns(target));
        }
        Targets made =
                new Targets(device, opener, log, turns, new ConcurrentHashMap<>()).with(plan);
        made.applyLimits();
        return made;
    }

    /// Opens what computes other routines, beside these: each is closed on its own.
    ///
    /// @throws RuntimeException as [#open] does
    public Targets followedBy(RoutinePlan plan) {
        Targets next = new Targets(device, opener, log, turns, fallbacks).with(plan);
        trace.ifPresent(next::show);
        return next;
    }

    /// Shows what computes them in a trace from now on, and what computes those that follow.
    public void show(NodeTrace shown) {
        trace = Optional.of(shown);
        opened.forEach(one -> one.show(shown));
    }

    private Targets with(RoutinePlan plan) {
        try {
            routines = plan.routines();
            kernels = plan.kernels();
            routines.only(plan.places().keySet());
            openOffloads(plan.places());
            for (RoutineSpec spec : plan.routines().routines()) {
                if (spec.routine() instanceof Offload
                        || spec.routine() instanceof OffloadedRoutine) {
                    continue;
                }
                Placement place = plan.places().getOrDefault(spec.name(), Placement.on(Target.CPU));
                boolean isAtHome = place.equals(Placement.on(Target.CPU));
                if (!isAtHome || (plan.limits().containsKey(Target.CPU) && !spec.isShort())) {
                    RoutineSpec moved = spec.runBy(placed(spec, place));
                    boolean waits = place.equals(Placement.on(Target.DPA));
                    routines = routines.replacing(waits ? moved.asWaiting() : moved);
                }
            }
            limits = plan.limits();
            return this;
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /// All routines.
    public RoutineSet routines() {
        return routines;
    }

    /// Limits targets as these are to be limited; until then they are as those before had it.
    public void applyLimits() {
        turns.forEach((target, turn) -> turn.limit(limits.getOrDefault(target, TargetLimit.NONE)));
    }

    /// Opens what computes the routines that say so themselves.
    private void openOffloads(Map<String, Placement> places) {
        Map<Offload, OffloadedRoutine> byOffload = new HashMap<>();
        for (RoutineSpec spec : routines.routines()) {
            if (!(spec.routine() instanceof Offload offload)) {
                continue;
            }
            Placement place = places.get(spec.name());
            if (place != null) {
                requireFor(spec, place);
            }
            OffloadedRoutine routine =
                    byOffload.computeIfAbsent(
                            offload,
                            _ -> {
                                opened.add(offload.open(device, log::say));
                                return opened.getLast();
                            });
            RoutineSpec moved =
                    spec.runBy(place == null ? routine : inTurn(place.target(), routine));
            routines = routines.replacing(routine.isWaiting() ? moved.asWaiting() : moved);
        }
    }

    /// Where a routine can run.
    public static Set<Target> of(RoutineSpec spec) {
        if (spec.routine() instanceof Offload offload) {
            return offload.otherTargets();
        }
        return switch (spec.name()) {
            case "edges" -> EnumSet.allOf(Target.class);
            case "empty" -> EnumSet.of(Target.CPU, Target.DPA_HANDLER);
            default -> EnumSet.of(Target.CPU);
        };
    }

    /// Where a routine can run when its target does not compute a call.
    public static Set<Target> secondOf(RoutineSpec spec) {
        return spec.routine() instanceof Offload ? Set.of() : of(spec);
    }

    /// What a message calls these targets of a routine.
    public static String words(Set<Target> valid) {
        return valid.isEmpty()
                ? "none, it brings what it runs on"
                : valid.stream().map(Target::word).collect(Collectors.joining(", "));
    }

    /// Refuses a target that a routine cannot run on.
    ///
    /// @throws IllegalArgumentException if it is one
    public static void requireFor(RoutineSpec spec, Target target) {
        require(spec, "target", target, of(spec));
    }

    private static void requireFor(RoutineSpec spec, Placement place) {
        requireFor(spec, place.target());
        place.second().ifPresent(other -> require(spec, "second target", other, secondOf(spec)));
    }

    private static void require(RoutineSpec spec, String what, Target target, Set<Target> valid) {
        if (!valid.contains(target)) {
            throw new IllegalArgumentException(
                    "routine '%s' does not run on %s '%s'; valid: %s"
                            .formatted(spec.name(), what, target.word(), words(valid)));
        }
    }

    /// What was counted, and what is going on, by name.
    public Map<String, Long> counters() {
        Map<String, Long> sums = new TreeMap<>();
        turns.values().forEach(turn -> turn.addTo(sums));
        sums.put(
                "afu.cycles",
                opened.stream()
                        .mapToLong(one -> one instanceof AfuRoutine afu ? afu.cycles() : 0)
                        .sum());
        fallbacks.forEach((name, sum) -> sums.put("routine." + name + ".fallbacks", sum.sum()));
        return sums;
    }

    // ---- one routine ----------------------------------------------------------------------------

    private Routine placed(RoutineSpec spec, Placement place) {
        if (place.second().isEmpty()) {
            return inTurn(place.target(), on(spec, place.target()));
        }
        Target other = place.second().get();
        fallbacks.computeIfAbsent(spec.name(), _ -> new LongAdder());
        Routine second = inTurn(other, on(spec, other));
        try {
            Routine first =
                    inTurn(place.target(), restoring(place.target(), on(spec, place.target())));
            return rpc -> runOnEither(rpc, spec.name(), first, other, second);
        } catch (IllegalArgumentException e) {
            throw e;
        } catch (RuntimeException e) {
            log.say(
                    "routine %s runs on its second target, %s: target '%s' cannot be opened: %s"
                            .formatted(
                                    spec.name(),
                                    other.word(),
                                    place.target().word(),
                                    e.getMessage()));
            return rpc -> runOnSecond(rpc, spec.name(), second);
        }
    }

    private Routine on(RoutineSpec spec, Target target) {
        requireFor(spec, target);
        if (target == Target.CPU) {
            return spec.routine();
        }
        OffloadedRoutine routine = opener.open(spec, target, kernels, device);
        opened.add(routine);
        return routine;
    }

    private Routine inTurn(Target target, Routine routine) {
        TargetTurns turn = Objects.requireNonNull(turns.get(target));
        return rpc -> {
            turn.enter(rpc);
            try {
                return routine.run(rpc);
            } finally {
                turn.leave();
            }
        };
    }

    /// Leaves the regions as they were to whoever computes what this routine has not.
    private static Routine restoring(Target target, Routine routine) {
        if (target == Target.CPU) {
            // It is never refused once it has begun.
            return routine;
        }
        return rpc -> {
            try (RegionsBefore before = RegionsBefore.of(rpc)) {
                try {
                    return routine.run(rpc);
                } catch (RoutineException e) {
                    if (TargetError.isCauseOf(e)) {
                        before.restore();
                    }
                    throw e;
                }
            }
        };
    }

    private int runOnEither(
            RpcContext rpc, String name, Routine first, Target other, Routine second)
            throws Exception {
        try {
            return first.run(rpc);
        } catch (RoutineException e) {
            if (!TargetError.isCauseOf(e) || rpc.isCancelled()) {
                throw e;
            }
            log.say(
                    "calls on second targets",
                    "routine %s: a call runs on the second target, %s: %s"
                            .formatted(name, other.word(), e.getMessage()));
            return runOnSecond(rpc, name, second);
        }
    }

    private int runOnSecond(RpcContext rpc, String name, Routine second) throws Exception {
        Objects.requireNonNull(fallbacks.get(name)).increment();
        return second.run(rpc);
    }

    /// Gives up what computes them. No RPC runs any more.
    @Override
    public void close() {
        opened.reversed().forEach(OffloadedRoutine::close);
    }
}
