package dev.outboard.fabric.roce;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.DeviceInfo;
import dev.outboard.fabric.DeviceLimits;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.Finding;
import dev.outboard.fabric.roce.device.DeviceSettings;
import dev.outboard.fabric.roce.device.RoceDevice;
import dev.outboard.fabric.roce.io.IpMtu;
import dev.outboard.fabric.roce.io.Route;
import dev.outboard.fabric.roce.io.UdpSocket;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.roce.wire.PathMtu;
import dev.outboard.fabric.spi.DeviceUri;
import dev.outboard.fabric.spi.FabricProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// RoCEv2 in software, on any network interface.
///
/// - `roce://127.0.0.2` uses that local address;
/// - `roce://auto?peer=10.0.0.7` uses the local address that leads to the peer, on loopback a free
///   one;
/// - `capture=FILE` writes every packet to a pcapng file;
/// - `fault=loss=5%,seed=1` makes the network worse than it is
///   ([dev.outboard.fabric.roce.io.Faults]); percent signs are written `%25` in a URI;
/// - `acknowledge=first` makes peers acknowledge what they got before they send requests of their
///   own, as peers that are not Outboard always do; the default is `acknowledge=together`, which
///   saves a system call per message, or with a capture `first`;
/// - `icrc=strict|solve|off` decides about packets whose IPv4 identification is not 0 (default
///   `solve`);
/// - `congestion=none|dcqcn` decides whether packets are sent ECN-capable, marks answered with
///   congestion notification packets, and these slow queue pairs down (default `none`);
/// - `peer-buffer=BYTES` is the receive buffer of peers that do not say how large theirs is
///   (default 212992, that of a Linux socket); more is faster, and safe where the peer is a network
///   card.
public final class RoceProvider implements FabricProvider {
    private static final int ATTEMPTS = 16;
    private static final String SCHEME = "roce";
    private static final String AUTO = "auto";
    private static final String PEER = "peer";
    private static final DeviceUri LOOPBACK =
            new DeviceUri(SCHEME, AUTO, Map.of(PEER, "127.0.0.1"));

    /// For [java.util.ServiceLoader].
    public RoceProvider() {}

    @Override
    public String scheme() {
        return SCHEME;
    }

    @Override
    public List<DeviceInfo> devices() {
        List<DeviceInfo> found = new ArrayList<>();
        found.add(describe(LOOPBACK));
        LocalAddress.ofInterfaces().forEach(address -> found.add(deviceAt(address)));
        return found;
    }

    @Override
    public DeviceInfo describe(DeviceUri location) {
        DeviceUri sorted = location.with(new TreeMap<>(location.options()));
        try {
            return isAuto(location)
                    ? leadingTo(location.options().get(PEER), sorted)
                    : located(InetAddress.getByName(location.device()), sorted);
        } catch (IOException | UncheckedIOException e) {
            return new DeviceInfo(sorted.toString(), Optional.empty(), false);
        }
    }

    @Override
    public Optional<DeviceInfo> at(InetAddress local) {
        return Optional.of(deviceAt(local));
    }

    /// An address serves one device, so that those who want to reach different peers share the one
    /// that leads to them. On loopback any leads everywhere, and one is drawn.
    @Override
    public Optional<DeviceInfo> towards(InetAddress peer) {
        if (LocalAddress.isDrawn(peer)) {
            return Optional.of(describe(LOOPBACK));
        }
        return Optional.of(
                describe(new DeviceUri(SCHEME, AUTO, Map.of(PEER, peer.getHostAddress()))));
    }

    private static DeviceInfo deviceAt(InetAddress local) {
        return located(local, new DeviceUri(SCHEME, local.getHostAddress(), Map.of()));
    }

    private static DeviceInfo leadingTo(@Nullable String peer, DeviceUri location)
            throws IOException {
        if (peer == null) {
            return new DeviceInfo(location.toString(), Optional.empty(), false);
        }
        InetAddress there = InetAddress.getByName(peer);
        InetAddress here = Route.localAddressTowards(there);
        if (LocalAddress.isDrawn(there)) {
            return new DeviceInfo(location.toString(), Optional.of(here), true);
        }
        return located(here, location);
    }

    /// Whatever it was called: the URI names the address, and no peer that would choose one.
    private static DeviceInfo located(InetAddress address, DeviceUri location) {
        Map<String, String> others = new TreeMap<>(location.options());
        others.remove(PEER);
        DeviceUri plain = new DeviceUri(SCHEME, address.getHostAddress(), others);
        return new DeviceInfo(plain.toString(), Optional.of(address), false);
    }

    @Override
    public Device open(DeviceUri location) {
        RoceOptions options = RoceOptions.of(location);
        return isAuto(location)
                ? openTowards(peer(options), location, options, new SecureRandom())
                : open(LocalAddress.of(location.device()), location, options);
    }

    private static boolean isAuto(DeviceUri location) {
        return location.device().equals(AUTO);
    }

    private static InetAddress peer(RoceOptions options) {
        if (options.peer() == null) {
            throw new FabricException(
                    Reason.BAD_URI,
                    "roce://auto needs to know what to reach, for example roce://auto?peer=127.0.0.2");
        }
        return LocalAddress.of(options.peer());
    }

    @Override
    public DeviceLimits limits(DeviceUri location) {
        RoceOptions options = RoceOptions.of(location);
        return RoceDevice.limits(
                pathMtu(
                        isAuto(location)
                                ? LocalAddress.towards(peer(options), new SecureRandom())
                                : LocalAddress.of(location.device())));
    }

    @Override
    public List<Finding> diagnose(DeviceUri location) {
        return new Diagnosis(location.device(), RoceOptions.of(location)).findings();
    }

    /// A drawn loopback address may be taken: then another is drawn.
    static Device openTowards(
            InetAddress peer, DeviceUri location, RoceOptions options, RandomGenerator random) {
        for (int attempt = 1; ; attempt++) {
            try {
                return open(LocalAddress.towards(peer, random), location, options);
            } catch (FabricException e) {
                if (e.reason() != Reason.ADDRESS_IN_USE
                        || !LocalAddress.isDrawn(peer)
                        || attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private static Device open(InetAddress address, DeviceUri location, RoceOptions options) {
        UdpSocket socket = UdpSocket.bind(address, Path.DESTINATION_PORT);
        try {
            DeviceSettings settings =
                    new DeviceSettings(
                            nameOf(address),
                            address,
                            pathMtu(address),
                            options.takesRequestsAhead(),
                            options.notifiesCongestion(),
                            options.peerBufferBytes(),
                            new SecureRandom());
            Taps taps = Taps.of("roce://" + location.device(), options);
            return new RoceDevice(settings, new SocketSite(socket, options.icrc(), taps));
        } catch (RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    private static PathMtu pathMtu(InetAddress address) {
        int ipMtu = IpMtu.of(address);
        return PathMtu.largestFor(ipMtu)
                .orElseThrow(() ->
                        new FabricException(
                                Reason.UNUSABLE_PATH,
                                nameOf(address)
                                        + ": an IP MTU of "
                                        + ipMtu
                                        + " bytes is too small for RoCE; 352 is the least"));
    }

    private static String nameOf(InetAddress address) {
        return "roce://" + address.getHostAddress();
    }
}
