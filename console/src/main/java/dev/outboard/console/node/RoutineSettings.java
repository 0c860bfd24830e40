package dev.outboard.console.node;

import dev.outboard.naa.server.RoutineSet;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.node.offload.IsolatedJar;
import dev.outboard.node.offload.KernelLanguage;
import dev.outboard.node.offload.Placement;
import dev.outboard.node.offload.RoutinePlan;
import dev.outboard.node.offload.RtlOffload;
import dev.outboard.node.offload.Target;
import dev.outboard.node.offload.TargetLimit;
import dev.outboard.node.offload.Targets;
import dev.outboard.terminal.ByteSize;
import dev.outboard.terminal.CommandException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// What settings say about routines and their targets.
final class RoutineSettings {
    private static final ByteSize ISOLATED_MEMORY = new ByteSize(256L << 20);

    private final Settings settings;
    private final Problems problems;
    private final DesignSettings designs;

    RoutineSettings(Settings settings, Problems problems) {
        this.settings = settings;
        this.problems = problems;
        designs = new DesignSettings(settings, problems);
    }

    /// What to offer. What is wrong is told, and left out.
    RoutinePlan plan() {
        RoutineSet offered = offered(designs.addTo(known()));
        RoutineSet timed = offered;
        for (Setting<Duration> time : of(NodeKeys.ROUTINE_TIME, offered)) {
            timed = timed.replacing(spec(time, offered).within(time.value()));
        }
        return new RoutinePlan(
                timed,
                places(offered),
                limits(),
                settings.value(NodeKeys.KERNEL, KernelLanguage.JAVA));
    }

    /// All routines that could be offered, but those in SystemVerilog.
    private RoutineSet known() {
        boolean hasBuiltins = settings.value(NodeKeys.BUILTINS, true);
        List<Setting<Path>> jars = settings.of(NodeKeys.JARS);
        List<Setting<Path>> isolated = settings.of(NodeKeys.ISOLATED);
        if (!hasBuiltins && jars.isEmpty() && isolated.isEmpty() && designs.names().isEmpty()) {
            Setting<Boolean> said = settings.find(NodeKeys.BUILTINS).orElseThrow();
            if (said.isOption()) {
                throw new CommandException(
                        "--no-builtins leaves no routine; add yours with --routines JAR or --systemverilog NAME=FILE");
            }
            problems.add(
                    said,
                    "'builtins: false' leaves no routine; add yours with 'jars' or 'routines.NAME.systemverilog'");
        }
        RoutineSet builtins = hasBuiltins ? RoutineSet.installed() : RoutineSet.of();
        RoutineSet added = RoutineSet.of();
        for (Setting<Path> jar : jars) {
            try {
                added = added.withJar(jar.value());
                requireCodes(builtins, added, jar);
            } catch (IllegalArgumentException e) {
                tell(jar, String.valueOf(e.getMessage()));
            }
        }
        long memory = settings.value(NodeKeys.ISOLATED_MEMORY, ISOLATED_MEMORY).bytes();
        for (Setting<Path> jar : isolated) {
            try {
                added = added.with(IsolatedJar.load(jar.value(), memory));
                requireCodes(builtins, added, jar);
            } catch (IllegalArgumentException | UncheckedIOException e) {
                tell(jar, String.valueOf(e.getMessage()));
            }
        }
        try {
            return builtins.with(added);
        } catch (IllegalArgumentException toldAlready) {
            return builtins;
        }
    }

    private static void requireCodes(RoutineSet builtins, RoutineSet added, Setting<Path> jar) {
        try {
            RoutineSet _ = builtins.with(added);
        } catch (IllegalArgumentException e) {
            String how = jar.isOption() ? "--no-builtins" : "'builtins: false'";
            throw new IllegalArgumentException(
                    "%s; %s leaves out the first".formatted(e.getMessage(), how), e);
        }
    }

    /// What is wrong with a JAR names it.
    private void tell(Setting<Path> jar, String text) {
        if (jar.isOption()) {
            throw new CommandException(text);
        }
        problems.add(jar, text);
    }

    private RoutineSet offered(RoutineSet known) {
        List<String> names = new ArrayList<>();
        for (Setting<String> offer : settings.of(NodeKeys.OFFER)) {
            if (find(known, offer.value()).isPresent()) {
                names.add(offer.value());
            } else if (!designs.names().contains(offer.value())) {
                problems.add(offer, unknown(offer.value(), known));
            }
        }
        return settings.of(NodeKeys.OFFER).isEmpty() ? known : known.only(names);
    }

    /// What is said about routines that are offered. A file may tell more than options let it.
    private <T> List<Setting<T>> of(NodeKey<T> key, RoutineSet offered) {
        List<Setting<T>> some = new ArrayList<>();
        for (Setting<T> setting : settings.of(key)) {
            if (find(offered, setting.name()).isPresent()) {
                some.add(setting);
            } else if (setting.isOption() && problems.isEmpty()) {
                problems.add(setting, unknown(setting.name(), offered));
            }
        }
        return some;
    }

    private Map<String, Placement> places(RoutineSet offered) {
        Map<String, Placement> places = new LinkedHashMap<>();
        for (RoutineSpec spec : offered.routines()) {
            if (spec.routine() instanceof RtlOffload) {
                places.put(spec.name(), Placement.on(Target.AFU));
            }
        }
        for (Setting<Target> target : of(NodeKeys.TARGET, offered)) {
            if (canRun(target, "target", Targets.of(spec(target, offered)))) {
                places.put(target.name(), Placement.on(target.value()));
            }
        }
        for (Setting<Target> second : of(NodeKeys.FALLBACK, offered)) {
            Placement first = places.getOrDefault(second.name(), Placement.on(Target.CPU));
            try {
                Set<Target> valid = Targets.secondOf(spec(second, offered));
                if (canRun(second, "second target", valid)) {
                    places.put(second.name(), first.orElse(second.value()));
                }
            } catch (IllegalArgumentException e) {
                // A target that could not be read is not the processor.
                if (places.containsKey(second.name()) || problems.isEmpty()) {
                    problems.add(second, String.valueOf(e.getMessage()));
                }
            }
        }
        return places;
    }

    private static RoutineSpec spec(Setting<?> setting, RoutineSet offered) {
        return find(offered, setting.name()).orElseThrow();
    }

    private boolean canRun(Setting<Target> setting, String what, Set<Target> valid) {
        if (!valid.contains(setting.value())) {
            problems.add(
                    setting,
                    "routine '%s' on %s '%s'; valid: %s"
                            .formatted(
                                    setting.name(),
                                    what,
                                    setting.value().word(),
                                    Targets.words(valid)));
        }
        return valid.contains(setting.value());
    }

    private Map<Target, TargetLimit> limits() {
        Map<Target, TargetLimit> limits = new EnumMap<>(Target.class);
        for (Setting<Integer> calls : settings.of(NodeKeys.CALLS)) {
            target(calls)
                    .ifPresent(target ->
                            limits.put(target, new TargetLimit(calls.value(), Integer.MAX_VALUE)));
        }
        for (Setting<Integer> waiting : settings.of(NodeKeys.WAITING)) {
            target(waiting)
                    .ifPresent(target -> {
                        int calls = limits.getOrDefault(target, TargetLimit.NONE).calls();
                        limits.put(target, new TargetLimit(calls, waiting.value()));
                    });
        }
        return limits;
    }

    /// The target whose name is part of a key.
    private Optional<Target> target(Setting<?> setting) {
        try {
            return Optional.of(Target.of(setting.name()));
        } catch (IllegalArgumentException e) {
            problems.add(setting, String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    private static String unknown(String name, RoutineSet valid) {
        List<String> names = valid.routines().stream().map(RoutineSpec::name).toList();
        String meant = Words.didYouMean(name, names);
        return "there is no routine '%s'%s"
                .formatted(name, meant.isEmpty() ? "; valid: " + String.join(", ", names) : meant);
    }

    private static Optional<RoutineSpec> find(RoutineSet routines, String name) {
        return routines.routines().stream().filter(spec -> spec.name().equals(name)).findFirst();
    }
}
