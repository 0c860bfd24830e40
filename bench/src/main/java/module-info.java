import dev.outboard.bench.BenchCommand;
import dev.outboard.terminal.Subcommand;
import org.jspecify.annotations.NullMarked;

/// Outboard measured side by side with its peers.
@NullMarked
// HdrHistogram is published without a module name.
@SuppressWarnings("requires-automatic")
module dev.outboard.bench {
    requires HdrHistogram;
    requires dev.outboard.ccip;
    requires dev.outboard.doca;
    requires dev.outboard.dpa;
    requires dev.outboard.node;
    requires dev.outboard.terminal;
    requires info.picocli;
    requires java.management;
    requires jdk.management;
    requires static org.jspecify;

    opens dev.outboard.bench to
            info.picocli,
            tools.jackson.databind;
    opens dev.outboard.bench.comparison to
            info.picocli,
            tools.jackson.databind;
    opens dev.outboard.bench.ccip to
            info.picocli;
    opens dev.outboard.bench.doca to
            info.picocli;
    opens dev.outboard.bench.dpa to
            info.picocli;
    opens dev.outboard.bench.fabric to
            info.picocli;
    opens dev.outboard.bench.node to
            info.picocli;
    opens dev.outboard.bench.soak to
            info.picocli;

    provides Subcommand with
            BenchCommand;
}
