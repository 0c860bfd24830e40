package dev.outboard.fabric;

import dev.outboard.fabric.spi.DeviceUri;
import dev.outboard.fabric.spi.FabricProvider;
import java.util.ServiceLoader;
import java.util.TreeSet;

/// The door to every RDMA device, real or software: a device is named by a URI whose scheme selects
/// the provider.
///
/// ```java
/// try (Device device = Fabric.open("roce://127.0.0.2")) {
///     ProtectionDomain domain = device.allocateProtectionDomain();
///     MemoryRegion region = domain.register(segment, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
///     …
/// }
/// ```
public final class Fabric {
    private Fabric() {}

    /// Opens the device that `uri` names, such as `roce://127.0.0.2` or
    /// `roce://auto?peer=127.0.0.2`.
    ///
    /// @throws FabricException if no provider knows the scheme, or the device cannot be opened; the
    ///   message says what to do
    public static Device open(String uri) {
        DeviceUri location = DeviceUri.parse(uri);
        TreeSet<String> known = new TreeSet<>();
        for (FabricProvider provider : ServiceLoader.load(FabricProvider.class)) {
            if (provider.scheme().equals(location.scheme())) {
                return provider.open(location);
            }
            known.add(provider.scheme());
        }
        throw new FabricException(
                FabricException.Reason.NO_PROVIDER,
                "no provider for '"
                        + location.scheme()
                        + "' in "
                        + uri
                        + "; known schemes: "
                        + known);
    }
}
