package dev.outboard.dpa.doca;

import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.spi.EnvironmentProvider;
import dev.outboard.doca.spi.ExecutionEnvironment.Kind;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.FabricException;
import java.util.EnumSet;
import java.util.Set;

/// Every device of the fabric can have a DPA and a GPU beside it, as they are simulated.
public final class SimulatedEnvironments implements EnvironmentProvider {
    /// For [java.util.ServiceLoader].
    public SimulatedEnvironments() {}

    @Override
    public Set<Kind> environments(DocaDevInfo device) {
        try {
            Fabric.describe(device.uri());
            return EnumSet.allOf(Kind.class);
        } catch (FabricException e) {
            return Set.of();
        }
    }
}
