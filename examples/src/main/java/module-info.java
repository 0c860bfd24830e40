import dev.outboard.examples.ExampleCommand;
import dev.outboard.terminal.Subcommand;
import org.jspecify.annotations.NullMarked;

/// Small programs that show how the API is used.
@NullMarked
module dev.outboard.examples {
    requires dev.outboard.doca;
    requires dev.outboard.dpa;
    requires dev.outboard.terminal;
    requires info.picocli;
    requires static org.jspecify;

    opens dev.outboard.examples to
            info.picocli;

    provides Subcommand with
            ExampleCommand;
}
