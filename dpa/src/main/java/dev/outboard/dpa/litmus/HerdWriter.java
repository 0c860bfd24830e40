package dev.outboard.dpa.litmus;

import dev.outboard.dpa.machine.Profile;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// DPA-OPM-18: writes a litmus program in the form of the herd tools, for an architecture `DPA`
/// whose instructions are the statements of the text form.
///
/// ```
/// DPA LIT-8b
/// "Thread-to-thread publication: memory fence(W,W)"
/// {
///  heap uint64_t var1=0 @0+0;
///  heap uint64_t flag=0 @1+0;
/// }
///  P0:T1             | P1:T2           ;
///  M[var1]=7         | spin M[flag]==1 ;
///  fence(MEMORY,W,W) | r=M[var1]       ;
///  M[flag]=1         |                 ;
/// locations [1:r;]
/// forall ((1:r=7))
/// ```
///
/// The condition lists all outcomes in SEED; those of other profiles stand above the braces, as
/// `BF3=…`. Registers are called as by their actor's number; a variable is what DPA threads, or the
/// host, read of it, and `nic.x` what the NIC does; `hang` is true where an actor waits for ever.
final class HerdWriter {
    private final LitmusProgram program;
    private final StringBuilder text = new StringBuilder();

    private HerdWriter(LitmusProgram program) {
        this.program = program;
    }

    static String write(LitmusTest test, Variant variant) {
        HerdWriter writer = new HerdWriter(variant.program());
        writer.line("DPA " + test.name() + variant.name());
        String title =
                variant.title().isEmpty() ? test.title() : test.title() + ": " + variant.title();
        if (!title.isEmpty()) {
            writer.line('"' + title.replace("\\", "\\\\").replace("\"", "\\\"") + '"');
        }
        writer.information(variant);
        writer.initial();
        writer.columns();
        writer.line(
                variant.program().observed().stream()
                        .map(writer::name)
                        .collect(Collectors.joining(";", "locations [", ";]")));
        Set<Outcome> seed = variant.listed().get(Profile.SEED);
        writer.line("forall (" + (seed == null ? "true" : writer.condition(seed)) + ")");
        return writer.text.toString();
    }

    private void line(String line) {
        text.append(line).append('\n');
    }

    /// What the herd tools keep without looking at it.
    private void information(Variant variant) {
        for (Role role : program.roles()) {
            String queue = role.queue().isEmpty() ? "" : " of " + role.queue();
            line("Role=" + role.kind().word() + " " + role.variable() + queue);
        }
        if (!program.observedOnHang().isEmpty()) {
            line(
                    program.observedOnHang().stream()
                            .map(this::name)
                            .collect(Collectors.joining(";", "Hang=[", ";]")));
        }
        variant.listed()
                .forEach((profile, outcomes) -> {
                    if (profile != Profile.SEED) {
                        line(profile + "=" + condition(outcomes));
                    }
                });
    }

    private void initial() {
        line("{");
        for (Variable variable : program.variables()) {
            line(
                    " %s uint%d_t %s=%s @%d+%d;"
                            .formatted(
                                    variable.area().word(),
                                    variable.sizeBytes() * Byte.SIZE,
                                    variable.name(),
                                    Long.toUnsignedString(variable.initial()),
                                    variable.line(),
                                    variable.offset()));
        }
        line("}");
    }

    private void columns() {
        List<List<String>> columns = new ArrayList<>();
        int rows = 0;
        for (int i = 0; i < program.actors().size(); i++) {
            Actor actor = program.actors().get(i);
            List<String> column = new ArrayList<>();
            column.add("P%d:%s%s".formatted(i, actor.name(), actor.optional() ? "?" : ""));
            // A stroke ends a cell, so that the operator is written as a word.
            StatementPrinter.rows(actor.body())
                    .forEach(row -> column.add(row.replace("|", " or ")));
            columns.add(column);
            rows = Math.max(rows, column.size());
        }
        for (int row = 0; row < rows; row++) {
            List<String> cells = new ArrayList<>();
            for (List<String> column : columns) {
                int width = column.stream().mapToInt(String::length).max().orElse(0);
                String cell = row < column.size() ? column.get(row) : "";
                cells.add(cell + " ".repeat(width - cell.length()));
            }
            line(" " + String.join(" | ", cells) + " ;");
        }
    }

    private String name(Observation observation) {
        return switch (observation) {
            case Observation.OfRegister of -> actor(of.actor()) + ":" + of.register();
            case Observation.OfMemory of -> of.variable();
            case Observation.OfNicView of -> observation.name();
        };
    }

    private int actor(String name) {
        return program.actors().stream().map(Actor::name).toList().indexOf(name);
    }

    private String condition(Set<Outcome> outcomes) {
        return new TreeSet<>(outcomes)
                .stream().map(this::conjunction).collect(Collectors.joining(" \\/ "));
    }

    private String conjunction(Outcome outcome) {
        Map<String, String> values = outcome.values();
        List<String> terms = new ArrayList<>();
        List<Observation> observations =
                outcome.hang() ? program.observedOnHang() : program.observed();
        for (Observation observation : observations) {
            terms.add(name(observation) + "=" + values.get(observation.name()));
        }
        if (outcome.hang()) {
            terms.add("hang");
        } else if (terms.isEmpty()) {
            terms.add("done");
        }
        return "(" + String.join(" /\\ ", terms) + ")";
    }
}
