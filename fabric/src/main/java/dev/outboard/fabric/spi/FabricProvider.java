package dev.outboard.fabric.spi;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.DeviceInfo;
import dev.outboard.fabric.DeviceLimits;
import dev.outboard.fabric.Finding;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/// A kind of RDMA device. Providers are found with [java.util.ServiceLoader]; each answers for one
/// URI scheme.
public interface FabricProvider {
    /// The URI scheme this provider answers for, in lower case.
    String scheme();

    /// The devices of this machine that can be used without options. None is opened for it.
    ///
    /// @throws dev.outboard.fabric.FabricException with SYSTEM if the operating system does not
    ///   tell
    List<DeviceInfo> devices();

    /// What is known of the device at `location`. Nothing is opened for it, and no option is
    /// checked.
    DeviceInfo describe(DeviceUri location);

    /// The device whose packets leave from the local address `local`, if this provider can make
    /// one.
    Optional<DeviceInfo> at(InetAddress local);

    /// The device whose packets get to `peer`, if this provider reaches it.
    Optional<DeviceInfo> towards(InetAddress peer);

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
