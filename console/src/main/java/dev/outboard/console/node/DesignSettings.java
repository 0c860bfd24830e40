package dev.outboard.console.node;

import dev.outboard.ccip.rtl.RtlDesign;
import dev.outboard.ccip.rtl.RtlException;
import dev.outboard.naa.server.RoutineSet;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.node.offload.RtlOffload;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// What settings say about routines in SystemVerilog. Nothing is compiled.
final class DesignSettings {
    private final Settings settings;
    private final Problems problems;

    /// Whether nothing was left out that could not be read.
    private final boolean isWhole;

    /// @param problems what could not be read of the settings; is told more
    DesignSettings(Settings settings, Problems problems) {
        this.settings = settings;
        this.problems = problems;
        isWhole = problems.isEmpty();
    }

    /// The names of these routines, also where something is wrong with them.
    Set<String> names() {
        return settings.of(NodeKeys.SYSTEMVERILOG).stream()
                .map(Setting::name)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /// These routines beside others. What is wrong is told, and left out.
    RoutineSet addTo(RoutineSet others) {
        RoutineSet all = others;
        for (String name : names()) {
            all = with(all, name);
        }
        for (NodeKey<?> key : List.<NodeKey<?>>of(NodeKeys.CODE, NodeKeys.TOP)) {
            for (Setting<?> setting : settings.of(key)) {
                if (isWhole && !names().contains(setting.name())) {
                    problems.add(
                            setting,
                            "'%s' of routine '%s', which is not in SystemVerilog; valid: together with %s"
                                    .formatted(
                                            key.word(),
                                            setting.name(),
                                            called(NodeKeys.SYSTEMVERILOG, setting)));
                }
            }
        }
        return all;
    }

    private RoutineSet with(RoutineSet all, String name) {
        List<Setting<Path>> files = settings.of(NodeKeys.SYSTEMVERILOG, name);
        Setting<Path> first = files.getFirst();
        Optional<RtlDesign> design = design(files, name);
        Optional<Setting<Integer>> code = settings.of(NodeKeys.CODE, name).stream().findFirst();
        if (code.isEmpty() && isWhole) {
            problems.add(
                    first,
                    "routine '%s' in SystemVerilog has no function code; add %s, valid: %s"
                            .formatted(
                                    name,
                                    called(NodeKeys.CODE, first),
                                    NodeKeys.CODE.type().valid()));
        }
        if (all.routines().stream().anyMatch(spec -> spec.name().equals(name))) {
            problems.add(
                    first,
                    "there is a routine '%s' already, which is not in SystemVerilog; valid: another name"
                            .formatted(name));
        } else if (code.isPresent() && design.isPresent()) {
            return with(all, name, code.get(), design.get());
        }
        return all;
    }

    private RoutineSet with(RoutineSet all, String name, Setting<Integer> code, RtlDesign design) {
        Optional<RoutineSpec> taken = all.find(code.value());
        if (taken.isPresent()) {
            problems.add(
                    code,
                    "function code %d of routine '%s' is that of '%s'; valid: %s without %s"
                            .formatted(
                                    code.value(),
                                    name,
                                    taken.get().name(),
                                    code.key().type().valid(),
                                    all.routines().stream()
                                            .map(spec -> "" + spec.functionCode())
                                            .collect(Collectors.joining(", "))));
            return all;
        }
        Path source = design.sources().getFirst();
        try {
            RoutineSpec spec =
                    RoutineSpec.of(code.value(), name, new RtlOffload(design))
                            .describedAs("function of an FPGA in " + source.getFileName());
            return all.with(List.of(spec), source.toString());
        } catch (IllegalArgumentException e) {
            problems.add(code, String.valueOf(e.getMessage()));
            return all;
        }
    }

    /// What is to be compiled; empty if something is wrong with the files.
    private Optional<RtlDesign> design(List<Setting<Path>> files, String name) {
        boolean allThere = true;
        for (Setting<Path> file : files) {
            if (!Files.isRegularFile(file.value())) {
                problems.add(file, "there is no file " + file.value());
                allThere = false;
            }
        }
        if (!allThere) {
            return Optional.empty();
        }
        try {
            RtlDesign design = RtlDesign.of(files.stream().map(Setting::value).toList());
            for (Setting<String> top : settings.of(NodeKeys.TOP, name)) {
                design = design.withTop(top.value());
            }
            if (design.id().isPresent()) {
                return Optional.of(design);
            }
            problems.add(
                    files.getFirst(),
                    "routine '%s' has no AFU_ID; add the JSON file that describes the AFU to its files"
                            .formatted(name));
        } catch (RtlException e) {
            problems.add(files.getFirst(), String.valueOf(e.getMessage()));
        }
        return Optional.empty();
    }

    /// A key for the same routine, in the words of a setting: of the file, or of an option.
    private static String called(NodeKey<?> key, Setting<?> setting) {
        return setting.isOption()
                ? "%s %s=%s".formatted(key.option(), setting.name(), key.type().label())
                : "'%s'".formatted(key.pathOf(setting.name()));
    }
}
