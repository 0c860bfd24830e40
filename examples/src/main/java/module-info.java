import org.jspecify.annotations.NullMarked;

/// Small programs that show how the API is used.
@NullMarked
module dev.outboard.examples {
    requires dev.outboard.doca;
    requires static org.jspecify;

    exports dev.outboard.examples.doca;
}
