package dev.outboard.fabric;

import dev.outboard.fabric.spi.DeviceUri;
import dev.outboard.fabric.spi.FabricProvider;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.TreeSet;
import java.util.function.Function;

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
        return provider(location).open(location);
    }

    /// What the device that `uri` names can do, without opening it.
    ///
    /// @throws FabricException if no provider knows the scheme, or the machine has no such device
    public static DeviceLimits limits(String uri) {
        DeviceUri location = DeviceUri.parse(uri);
        return provider(location).limits(location);
    }

    /// Looks at everything that decides whether the device that `uri` names works here, and how
    /// well, without leaving anything behind: its address, its sockets, this process and machine,
    /// and the peer if the URI names one. Asking a silent peer takes some seconds.
    ///
    /// @throws FabricException if no provider knows the scheme, or the URI cannot be understood
    public static List<Finding> diagnose(String uri) {
        DeviceUri location = DeviceUri.parse(uri);
        return provider(location).diagnose(location);
    }

    /// The devices of this machine, of every provider. None is opened for it.
    ///
    /// @throws FabricException if the operating system does not tell
    public static List<DeviceInfo> devices() {
        return providers().stream().flatMap(provider -> provider.devices().stream()).toList();
    }

    /// What is known of the device that `uri` names, without opening it or checking its options.
    ///
    /// @throws FabricException if no provider knows the scheme, or the URI cannot be understood
    public static DeviceInfo describe(String uri) {
        DeviceUri location = DeviceUri.parse(uri);
        return provider(location).describe(location);
    }

    /// The device whose packets leave from the local address `local`.
    ///
    /// @throws FabricException with NO_PROVIDER if no provider can make one
    public static DeviceInfo at(InetAddress local) {
        return first(provider -> provider.at(local), "at " + local.getHostAddress());
    }

    /// The device whose packets get to `peer`.
    ///
    /// @throws FabricException with NO_PROVIDER if no provider reaches it
    public static DeviceInfo towards(InetAddress peer) {
        return first(provider -> provider.towards(peer), "that leads to " + peer.getHostAddress());
    }

    private static DeviceInfo first(
            Function<FabricProvider, Optional<DeviceInfo>> question, String which) {
        return providers().stream()
                .flatMap(provider -> question.apply(provider).stream())
                .findFirst()
                .orElseThrow(() ->
                        new FabricException(
                                FabricException.Reason.NO_PROVIDER,
                                "no provider has a device " + which));
    }

    private static List<FabricProvider> providers() {
        return ServiceLoader.load(FabricProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
    }

    private static FabricProvider provider(DeviceUri location) {
        TreeSet<String> known = new TreeSet<>();
        for (FabricProvider provider : providers()) {
            if (provider.scheme().equals(location.scheme())) {
                return provider;
            }
            known.add(provider.scheme());
        }
        throw new FabricException(
                FabricException.Reason.NO_PROVIDER,
                "no provider for '"
                        + location.scheme()
                        + "' in "
                        + location.scheme()
                        + "://"
                        + location.device()
                        + "; known schemes: "
                        + known);
    }
}
