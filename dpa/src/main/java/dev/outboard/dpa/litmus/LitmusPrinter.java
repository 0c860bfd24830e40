package dev.outboard.dpa.litmus;

import dev.outboard.dpa.machine.Profile;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// Writes the text form of a [LitmusTest]; what is read back is the same test, but for places.
final class LitmusPrinter {
    private static final String INDENT = "    ";

    private final StringBuilder text = new StringBuilder();

    private LitmusPrinter() {}

    static String print(LitmusTest test) {
        LitmusPrinter printer = new LitmusPrinter();
        printer.line("litmus " + test.name() + title(test.title()));
        test.notes().forEach(note -> printer.line("note " + quoted(note)));
        for (Variant variant : test.variants()) {
            printer.line("");
            if (!variant.name().isEmpty()) {
                printer.line("variant " + variant.name() + title(variant.title()));
            }
            printer.variant(variant);
        }
        return printer.text.toString();
    }

    private void line(String line) {
        text.append(line).append('\n');
    }

    private static String title(String title) {
        return title.isEmpty() ? "" : " " + quoted(title);
    }

    private static String quoted(String string) {
        return '"' + string.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private void variant(Variant variant) {
        LitmusProgram program = variant.program();
        lines(program).forEach(line -> line(INDENT + line));
        for (Role role : program.roles()) {
            String queue = role.queue().isEmpty() ? "" : " of " + role.queue();
            line(INDENT + "role " + role.kind().word() + " " + role.variable() + queue);
        }
        for (Actor actor : program.actors()) {
            String mark = actor.optional() ? "?" : "";
            String body = StatementPrinter.print(actor.body());
            line((INDENT + actor.name() + mark + ": " + body).stripTrailing());
        }
        observe("observe", program.observed());
        if (!program.observedOnHang().isEmpty()) {
            observe("observe on HANG", program.observedOnHang());
        }
        Map<Set<Outcome>, List<Profile>> profiles = new LinkedHashMap<>();
        variant.listed()
                .forEach((profile, outcomes) ->
                        profiles.computeIfAbsent(outcomes, any -> new ArrayList<>()).add(profile));
        profiles.forEach((outcomes, which) -> {
            String names = which.stream().map(Profile::name).collect(Collectors.joining(" "));
            String sets =
                    new TreeSet<>(outcomes)
                            .stream().map(Outcome::toString).collect(Collectors.joining(" "));
            line(INDENT + "allowed " + names + " " + sets);
        });
    }

    private void observe(String words, List<Observation> observations) {
        line(
                INDENT
                        + observations.stream()
                                .map(Observation::name)
                                .collect(Collectors.joining(" ", words + " ", ""))
                                .stripTrailing());
    }

    /// The lines of variables that their first use alone would not place where they are.
    private static List<String> lines(LitmusProgram program) {
        Set<String> used = new LinkedHashSet<>();
        program.actors().forEach(actor -> StatementPrinter.variables(actor.body(), used));
        Map<String, List<Variable>> lines = new LinkedHashMap<>();
        for (Variable variable : program.variables()) {
            String key = (variable.inDpaMemory() ? "M" : "X") + variable.line();
            lines.computeIfAbsent(key, any -> new ArrayList<>()).add(variable);
        }
        List<List<Variable>> ordered = new ArrayList<>(lines.values());
        int declared = ordered.size();
        while (declared > 0 && isPlain(ordered.get(declared - 1), used)) {
            declared--;
        }
        List<String> rest =
                ordered.subList(declared, ordered.size()).stream()
                        .map(line -> line.getFirst().name())
                        .toList();
        if (!used.stream().filter(rest::contains).toList().equals(rest)) {
            declared = ordered.size();
        }
        return ordered.subList(0, declared).stream().map(LitmusPrinter::declaration).toList();
    }

    private static boolean isPlain(List<Variable> line, Set<String> used) {
        Variable first = line.getFirst();
        return line.size() == 1
                && first.sizeBytes() == Variable.GRANULE_BYTES
                && first.initial() == 0
                && (first.area() == Area.HEAP || first.area() == Area.EXTERNAL)
                && used.contains(first.name());
    }

    private static String declaration(List<Variable> line) {
        return line.stream()
                .map(LitmusPrinter::declaration)
                .collect(Collectors.joining(" ", line.getFirst().area().word() + " {", "}"));
    }

    private static String declaration(Variable variable) {
        String size =
                variable.sizeBytes() == Variable.GRANULE_BYTES ? "" : ":" + variable.sizeBytes();
        String initial =
                variable.initial() == 0 ? "" : "=" + Long.toUnsignedString(variable.initial());
        return variable.name() + size + initial;
    }
}
