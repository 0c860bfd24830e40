package dev.outboard.console.naa;

import dev.outboard.terminal.Table;
import java.io.PrintWriter;
import java.util.Map;

/// Prints counters, an aligned line each; those that are zero are left out.
public final class Counters {
    private final Table table = new Table("lr");

    /// Adds the counters of `what`, for example of a device.
    public Counters add(String what, Map<String, Long> counters) {
        table.row(what);
        counters.forEach((name, value) -> {
            if (value != 0) {
                table.row("  " + name, value);
            }
        });
        return this;
    }

    /// Prints everything that was added.
    public void print(PrintWriter out) {
        table.print(out, "");
    }
}
