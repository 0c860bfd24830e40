package dev.outboard.doca;

import dev.outboard.doca.spi.EnvironmentProvider;
import dev.outboard.doca.spi.ExecutionEnvironment;
import dev.outboard.fabric.DeviceInfo;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.spi.DeviceUri;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// A device that could be opened: DOCA's `doca_devinfo` (catalog DCORE-DEV; DOCA Core guide, device
/// discovery). It is immutable, needs no closing, outlives the list it came from, and may be asked
/// by any thread, whether its device is open or not.
///
/// Two infos are equal if they name the same device. A URI that leaves the choice of a loopback
/// address to the fabric (`roce://auto?peer=127.0.0.1`) names another device each time [#of] is
/// called with it, so that a program can have two that reach each other; in [#list] it is the one
/// that all users of the fabric in this process share.
public final class DocaDevInfo {
    private final String uri;
    private final DeviceInfo info;

    /// Whether it names a device that nobody else names so.
    private final boolean isAnother;

    private final String name;
    private final @Nullable InetAddress address;
    private final @Nullable NetworkInterface iface;

    private DocaDevInfo(DeviceUri location, String uri, DeviceInfo info, boolean isAnother) {
        this.uri = uri;
        this.info = info;
        this.isAnother = isAnother;
        this.name = location.scheme() + "://" + location.device();
        this.address = info.address().orElse(null);
        this.iface = address == null ? null : interfaceOf(address);
    }

    /// The devices of this machine: one for loopback, then one for each address of each other
    /// network interface that is up. None has to be given back.
    ///
    /// DCORE-DEV-1: of every backend, and none is opened for it.
    ///
    /// @throws DocaException with DRIVER if the operating system does not tell its interfaces
    public static List<DocaDevInfo> list() {
        try {
            return Fabric.devices().stream().map(DocaDevInfo::listed).toList();
        } catch (FabricException e) {
            throw DocaException.of("listing devices", e);
        }
    }

    private static DocaDevInfo listed(DeviceInfo device) {
        return new DocaDevInfo(DeviceUri.parse(device.uri()), device.uri(), device, false);
    }

    /// The device that a URI of the fabric names, such as `roce://127.0.0.2` or
    /// `roce://auto?peer=10.0.0.7`. Whether it can be opened is seen by [DocaDev#open].
    ///
    /// @throws DocaException with INVALID_VALUE if `uri` cannot be understood
    public static DocaDevInfo of(String uri) {
        DocaException.nonNull(uri, "uri");
        try {
            DeviceInfo info = describe(uri);
            return new DocaDevInfo(DeviceUri.parse(uri), uri, info, info.isDrawn());
        } catch (FabricException e) {
            throw DocaException.of("naming a device", e);
        }
    }

    /// What no provider knows can be named; it cannot be opened.
    private static DeviceInfo describe(String uri) {
        try {
            return Fabric.describe(uri);
        } catch (FabricException e) {
            return new DeviceInfo(uri, Optional.empty(), false);
        }
    }

    /// The first device of [#list] whose [#ibdevName] or [#ifaceName] is `name`; any name fits if
    /// `name` is empty.
    ///
    /// @throws DocaException with NOT_FOUND if there is none
    public static DocaDevInfo find(String name) {
        return find(name, info -> true);
    }

    /// As [#find(String)], of those devices that `supports` accepts: a query of what the
    /// application is going to do.
    ///
    /// DCORE-DEV-8: an empty name takes the first that fits; none is NOT_FOUND.
    ///
    /// @throws DocaException with NOT_FOUND if there is none
    public static DocaDevInfo find(String name, Predicate<DocaDevInfo> supports) {
        DocaException.nonNull(name, "name");
        DocaException.nonNull(supports, "supports");
        List<DocaDevInfo> all = list();
        return all.stream()
                .filter(info -> name.isEmpty() || info.isCalled(name))
                .filter(supports)
                .findFirst()
                .orElseThrow(() ->
                        new DocaException(
                                DocaError.NOT_FOUND,
                                "no device '"
                                        + name
                                        + "' that supports what is asked; devices: "
                                        + all));
    }

    private boolean isCalled(String wanted) {
        return name.equals(wanted) || (iface != null && iface.getName().equals(wanted));
    }

    /// The URI by which the fabric opens the device.
    public String uri() {
        return uri;
    }

    /// The name of the RDMA device: in software, the URI without options.
    public String ibdevName() {
        return name;
    }

    /// The name of the network interface that packets leave from.
    ///
    /// @throws DocaException with NOT_SUPPORTED if the device has none
    public String ifaceName() {
        return networkInterface("network interface").getName();
    }

    /// The IPv4 address of the device. One whose loopback address is chosen when it is opened gives
    /// that of the loopback interface; [DocaDev#address] has its own.
    ///
    /// @throws DocaException with NOT_SUPPORTED if the device has none
    public Inet4Address ipv4() {
        if (address instanceof Inet4Address ipv4) {
            return ipv4;
        }
        throw lacks("IPv4 address");
    }

    /// The IPv6 address of the device.
    ///
    /// @throws DocaException with NOT_SUPPORTED if the device has none
    public Inet6Address ipv6() {
        if (address instanceof Inet6Address ipv6) {
            return ipv6;
        }
        throw lacks("IPv6 address");
    }

    /// The IP address of the device, of either family, as [#ipv4] and [#ipv6] give it.
    public Optional<InetAddress> address() {
        return Optional.ofNullable(address);
    }

    /// The hardware address of the network interface, most significant byte first.
    ///
    /// @throws DocaException with NOT_SUPPORTED if the interface has none, as loopback; with DRIVER
    ///   if the operating system does not tell
    public byte[] mac() {
        try {
            byte[] mac = networkInterface("MAC address").getHardwareAddress();
            if (mac == null) {
                throw lacks("MAC address");
            }
            return mac;
        } catch (IOException e) {
            throw new DocaException(
                    DocaError.DRIVER, "MAC address of " + name + ": " + e.getMessage(), e);
        }
    }

    /// The local identifier in an InfiniBand subnet.
    ///
    /// DCORE-DEV-2: NOT_SUPPORTED where the link has none.
    ///
    /// @throws DocaException with NOT_SUPPORTED: RoCE has no LIDs
    public int lid() {
        throw lacks("LID");
    }

    /// Where the device sits on the PCI bus.
    ///
    /// @throws DocaException with NOT_SUPPORTED: a software device sits nowhere
    public String pciAddress() {
        throw lacks("PCI address");
    }

    /// What there can be beside the device whose programs use objects of DOCA:
    /// `doca_dpa_cap_is_supported`, and the same of a GPU. Nothing, unless a module that has such
    /// an environment is there.
    public Set<ExecutionEnvironment.Kind> environments() {
        Set<ExecutionEnvironment.Kind> all = EnumSet.noneOf(ExecutionEnvironment.Kind.class);
        ServiceLoader.load(EnvironmentProvider.class)
                .forEach(provider -> all.addAll(provider.environments(this)));
        return all;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || (other instanceof DocaDevInfo that
                        && !isAnother
                        && !that.isAnother
                        && info.uri().equals(that.info.uri()));
    }

    @Override
    public int hashCode() {
        return info.uri().hashCode();
    }

    @Override
    public String toString() {
        return uri;
    }

    /// Whether it names a device of its own, with another address than any has drawn.
    boolean isAnother() {
        return isAnother;
    }

    private NetworkInterface networkInterface(String asked) {
        if (iface == null) {
            throw lacks(asked);
        }
        return iface;
    }

    private DocaException lacks(String what) {
        return new DocaException(DocaError.NOT_SUPPORTED, "device " + name + " has no " + what);
    }

    private static @Nullable NetworkInterface interfaceOf(InetAddress address) {
        try {
            NetworkInterface found = NetworkInterface.getByInetAddress(address);
            if (found != null || !address.isLoopbackAddress()) {
                return found;
            }
            // All of 127.0.0.0/8 is local, though the interface lists 127.0.0.1 only.
            return NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            return null;
        }
    }
}
