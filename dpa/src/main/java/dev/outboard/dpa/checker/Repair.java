package dev.outboard.dpa.checker;

import dev.outboard.dpa.json.JsonWriter;
import java.util.List;

/// DPA-CHK-20: what mends a program.
///
/// @param cured whether the findings are gone with the edits; if not, there are none
/// @param edits the smallest set that was found
/// @param proof how far it is proven, a sentence or two
/// @param diff the lines of the program that change; empty where the text is not at hand
public record Repair(boolean cured, List<Edit> edits, String proof, String diff) {
    /// Copies the list.
    public Repair {
        edits = List.copyOf(edits);
    }

    /// The repair for a reader.
    @Override
    public String toString() {
        if (!cured) {
            return "No repair found: " + proof + "\n";
        }
        StringBuilder text = new StringBuilder("Repair:\n");
        edits.forEach(edit -> text.append("  ").append(edit).append('\n'));
        text.append("  ").append(proof).append('\n');
        return diff.isEmpty() ? text.toString() : text.append('\n').append(diff).toString();
    }

    void write(JsonWriter json) {
        json.member("cured", cured);
        json.array("edits", edits, Repair::write);
        json.member("proof", proof);
        if (!diff.isEmpty()) {
            json.member("diff", diff);
        }
    }

    private static void write(JsonWriter json, Edit edit) {
        json.member("kind", edit.isMove() ? "move" : "insert");
        json.member("operation", edit.operation());
        edit.from().ifPresent(from -> json.member("from", place -> CheckReport.write(place, from)));
        json.member(
                "where",
                switch (edit.where()) {
                    case BEFORE -> "before";
                    case AFTER -> "after";
                    case IN_LOOP -> "in the loop at";
                });
        json.member("at", place -> CheckReport.write(place, edit.at()));
    }
}
