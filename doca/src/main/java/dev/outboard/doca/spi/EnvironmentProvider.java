package dev.outboard.doca.spi;

import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.spi.ExecutionEnvironment.Kind;
import java.util.Set;

/// Tells beside which devices there can be an [ExecutionEnvironment]. Providers are found with
/// [java.util.ServiceLoader]. Any thread.
public interface EnvironmentProvider {
    /// What it has beside a device, which need not be open.
    Set<Kind> environments(DocaDevInfo device);
}
