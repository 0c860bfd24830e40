import dev.outboard.doca.spi.EnvironmentProvider;
import dev.outboard.dpa.doca.SimulatedEnvironments;
import org.jspecify.annotations.NullMarked;

/// The data-path accelerator (DPA): its memory as a model that can be explored, a machine that runs
/// programs on it, and a checker that finds missing fences. Needs nothing but the JDK.
@NullMarked
module dev.outboard.dpa {
    requires transitive dev.outboard.doca;
    requires transitive dev.outboard.dpacc;
    requires transitive dev.outboard.fabric;
    requires jdk.net;
    requires static org.jspecify;

    exports dev.outboard.dpa.cc;
    exports dev.outboard.dpa.checker;
    exports dev.outboard.dpa.debug;
    exports dev.outboard.dpa.debug.io;
    exports dev.outboard.dpa.doca;
    exports dev.outboard.dpa.doca.dev;
    exports dev.outboard.dpa.elf;
    exports dev.outboard.dpa.example;
    exports dev.outboard.dpa.flexio;
    exports dev.outboard.dpa.flexio.dev;
    exports dev.outboard.dpa.litmus;
    exports dev.outboard.dpa.machine;
    exports dev.outboard.dpa.nic;
    exports dev.outboard.dpa.nic.layout;
    exports dev.outboard.dpa.process;
    exports dev.outboard.dpa.rv;
    exports dev.outboard.dpa.trace;
    exports dev.outboard.dpa.watch;

    provides EnvironmentProvider with
            SimulatedEnvironments;
}
