import dev.outboard.terminal.Subcommand;
import org.jspecify.annotations.NullMarked;

/// The outboard command.
@NullMarked
// HdrHistogram is published without a module name.
@SuppressWarnings("requires-automatic")
module dev.outboard.console {
    requires HdrHistogram;
    requires dev.outboard.ccip;
    requires dev.outboard.dpa;
    requires dev.outboard.node;
    requires dev.outboard.terminal;
    requires java.compiler;
    requires java.desktop;
    requires jdk.compiler;
    requires jdk.net;
    requires info.picocli;
    requires tools.jackson.core;
    requires tools.jackson.dataformat.yaml;
    requires static org.jspecify;

    opens dev.outboard.console to
            info.picocli;
    opens dev.outboard.console.afu to
            info.picocli;
    opens dev.outboard.console.demo to
            info.picocli;
    opens dev.outboard.console.dpa to
            info.picocli,
            tools.jackson.databind;
    opens dev.outboard.console.dpacc to
            info.picocli;
    opens dev.outboard.console.explain to
            info.picocli;
    opens dev.outboard.console.naa to
            info.picocli;
    opens dev.outboard.console.node to
            info.picocli;
    opens dev.outboard.console.project to
            info.picocli;
    opens dev.outboard.console.spec to
            info.picocli;
    opens dev.outboard.console.trace to
            info.picocli;
    opens dev.outboard.console.verbs to
            info.picocli;

    uses Subcommand;
}
