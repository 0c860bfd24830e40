import dev.outboard.fabric.roce.RoceProvider;
import dev.outboard.fabric.sim.SimProvider;
import dev.outboard.fabric.spi.FabricProvider;
import org.jspecify.annotations.NullMarked;

/// The verbs, connection management and the providers behind them. Needs nothing but the JDK.
@NullMarked
@SuppressWarnings("module") // The DPA's module is compiled later.
module dev.outboard.fabric {
    requires static org.jspecify;

    exports dev.outboard.fabric;
    exports dev.outboard.fabric.sim;
    exports dev.outboard.fabric.spi;
    exports dev.outboard.fabric.pcapng to
            dev.outboard.console,
            dev.outboard.dpa;
    exports dev.outboard.fabric.roce.explain to
            dev.outboard.console;
    exports dev.outboard.fabric.steering to
            dev.outboard.dpa;
    exports dev.outboard.fabric.table to
            dev.outboard.dpa;

    uses FabricProvider;

    provides FabricProvider with
            RoceProvider,
            SimProvider;
}
