import org.jspecify.annotations.NullMarked;

/// What commands print with: tables, sizes, times, progress.
@NullMarked
module dev.outboard.terminal {
    requires info.picocli;
    requires jdk.unsupported;
    requires static org.jspecify;
    requires tools.jackson.databind;

    exports dev.outboard.terminal;

    opens dev.outboard.terminal to
            info.picocli;
}
