package dev.outboard.fabric.spi;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.DeviceLimits;
import dev.outboard.fabric.Finding;
import java.util.List;

/// A kind of RDMA device. Providers are found with [java.util.ServiceLoader]; each answers for one
/// URI scheme.
public interface FabricProvider {
    /// The URI scheme this provider answers for, in lower case.
    String scheme();

    /// Opens the device at `location`.
    ///
    /// @throws dev.outboard.fabric.FabricException if it cannot be opened, or if `location` has an
    ///   option this provider does not know
    Device open(DeviceUri location);

    /// What the device at `location` would give as its limits; it need not be open.
    ///
    /// @throws dev.outboard.fabric.FabricException as [#open]
    DeviceLimits limits(DeviceUri location);

    /// Looks at what decides whether the device at `location` works, as
    /// [dev.outboard.fabric.Fabric#diagnose] promises.
    List<Finding> diagnose(DeviceUri location);
}
