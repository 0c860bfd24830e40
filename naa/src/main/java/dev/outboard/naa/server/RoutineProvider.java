package dev.outboard.naa.server;

import java.util.List;

/// Offers routines to servers. [RoutineSet] finds providers with [java.util.ServiceLoader]: a
/// module says `provides dev.outboard.naa.server.RoutineProvider with …`, a JAR without a module
/// descriptor names its providers in `META-INF/services/dev.outboard.naa.server.RoutineProvider`.
///
/// A provider has a public constructor without parameters and is asked once.
public interface RoutineProvider {
    /// The routines, each with a function code of its own.
    List<RoutineSpec> routines();
}
