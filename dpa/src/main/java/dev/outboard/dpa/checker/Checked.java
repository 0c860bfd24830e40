package dev.outboard.dpa.checker;

import dev.outboard.dpa.json.JsonWriter;
import java.util.List;
import java.util.Optional;

/// What was found in one program and, if it was asked for, what mends it.
public record Checked(CheckReport report, Optional<Repair> repair) {

    /// All of it for a reader.
    @Override
    public String toString() {
        return repair.map(found -> report + "\n" + found).orElseGet(report::toString);
    }

    /// Several as one JSON text; `check-report.schema.json`, a resource beside this class,
    /// describes it.
    public static String json(List<Checked> all) {
        return JsonWriter.object(json -> {
            json.member("version", 1);
            json.array("reports", all, Checked::write);
        });
    }

    private static void write(JsonWriter json, Checked checked) {
        checked.report.write(json);
        checked.repair.ifPresent(repair -> json.member("repair", repair::write));
    }
}
