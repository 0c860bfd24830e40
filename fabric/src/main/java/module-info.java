import org.jspecify.annotations.NullMarked;

/// The verbs, connection management and the providers behind them. Needs nothing but the JDK.
@NullMarked
module dev.outboard.fabric {
    requires static org.jspecify;
}
