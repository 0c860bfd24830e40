import dev.outboard.fabric.roce.RoceProvider;
import dev.outboard.fabric.sim.SimProvider;
import dev.outboard.fabric.spi.FabricProvider;
import org.jspecify.annotations.NullMarked;

/// The verbs, connection management and the providers behind them. Needs nothing but the JDK.
@NullMarked
module dev.outboard.fabric {
    requires static org.jspecify;

    exports dev.outboard.fabric;
    exports dev.outboard.fabric.sim;
    exports dev.outboard.fabric.spi;

    uses FabricProvider;

    provides FabricProvider with
            RoceProvider,
            SimProvider;
}
