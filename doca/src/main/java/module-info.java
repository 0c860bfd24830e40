import dev.outboard.doca.spi.EnvironmentProvider;
import org.jspecify.annotations.NullMarked;

/// DOCA Core and DOCA RDMA: tasks, jobs and sync events over the verbs.
@NullMarked
module dev.outboard.doca {
    requires jdk.jfr;
    requires transitive dev.outboard.fabric;
    requires static transitive org.jspecify;

    exports dev.outboard.doca;
    exports dev.outboard.doca.jobs;
    exports dev.outboard.doca.rdma;
    exports dev.outboard.doca.spi;
    exports dev.outboard.doca.sync;

    uses EnvironmentProvider;
}
