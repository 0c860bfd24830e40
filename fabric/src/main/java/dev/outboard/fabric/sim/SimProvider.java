package dev.outboard.fabric.sim;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.DeviceInfo;
import dev.outboard.fabric.DeviceLimits;
import dev.outboard.fabric.Finding;
import dev.outboard.fabric.roce.device.CardFunctions;
import dev.outboard.fabric.roce.device.DeviceSettings;
import dev.outboard.fabric.roce.device.RoceDevice;
import dev.outboard.fabric.roce.rc.PeerBuffer;
import dev.outboard.fabric.roce.wire.EthernetFrame;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.spi.DeviceUri;
import dev.outboard.fabric.spi.FabricProvider;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/// Whole devices on a simulated network inside this process: the machines of RoCEv2, packets
/// included, without a socket and in a time of their own. With one seed and one thread a run is
/// always the same.
///
/// - `sim://lab/10.0.0.1` is the device with that address on the network `lab`; IPv6 is written
///   `sim://lab/fd00::1`. Devices of one network reach each other and nobody else. A network begins
///   with the first device on it, and ends with the last;
/// - it has 256 KiB of device memory;
/// - it has a port on the Ethernet of its network, which is a switch: a raw frame goes to the
///   device that has the destination address, one to a multicast or unknown address to all others.
///   The address comes with the IP address: that of `10.0.0.1` is 02:00:0a:00:00:01. Frames of up
///   to 9,018 bytes pass, whatever `mtu` is;
/// - a region with relaxed ordering shows what was written there line by line, 64 bytes each, in an
///   order that the seed decides;
/// - `mtu=4096` is the payload of a packet at most: 256 to 4096;
/// - `functions=vf:10.0.0.11,sf:10.0.0.12` gives its card two functions besides: number 1, a
///   virtual one, and 2, a sub-function. Each is a device of its own, with its own 256 KiB of
///   memory, inbox and bandwidth. [Device#openFunction] opens it, or its address:
///   `sim://lab/10.0.0.11`. A card is there while one of its functions is open, whichever, and then
///   any of them may be closed and opened again;
/// - `role=host` (the default) or `role=dpu` is the role of the process that opens the device, and
///   of what it opens by number.
///
/// The other options are of the network, and the device that is opened first decides; the others
/// name the same ones or none:
///
/// - `seed=N` decides about everything that is left to chance (default 0);
/// - `clock=virtual` (the default): time passes while a thread polls, 1 µs each time that it finds
///   nothing, or waits, and then no longer than until something happens. It is for one thread: time
///   does not wait for what another thread computes. `clock=real`: as on the wall, for any threads.
///   `clock=stepped`: when [SimNetwork] is told, so that a model can be the clock;
/// - `latency=1us`, `jitter=0ns` and `bandwidth=100Gbit`: how long a packet takes at least, how
///   much longer at most, and how fast a device can send;
/// - `loss=1%`, `duplicate=1%`, `reorder=1%` and `corrupt=1%` are the chances of a packet to
///   vanish, to come twice, to come after later ones, and to have bits flipped; percent signs are
///   written `%25` in a URI;
/// - `idle=0ns` is how long a device may let lie what has arrived, as a busy machine does;
/// - `inbox=1000` is how many packets may wait at a device; more are dropped.
public final class SimProvider implements FabricProvider {
    private static final String SCHEME = "sim";

    /// For [java.util.ServiceLoader].
    public SimProvider() {}

    @Override
    public String scheme() {
        return SCHEME;
    }

    /// None: a simulated device is there once somebody has named it.
    @Override
    public List<DeviceInfo> devices() {
        return List.of();
    }

    @Override
    public DeviceInfo describe(DeviceUri location) {
        SimOptions options = SimOptions.of(location);
        DeviceUri plain = DeviceUri.parse(options.name()).with(new TreeMap<>(location.options()));
        return new DeviceInfo(plain.toString(), Optional.of(options.address()), false);
    }

    /// None: an address alone does not name a simulated network.
    @Override
    public Optional<DeviceInfo> at(InetAddress local) {
        return Optional.empty();
    }

    /// None: an address alone does not name a simulated network.
    @Override
    public Optional<DeviceInfo> towards(InetAddress peer) {
        return Optional.empty();
    }

    @Override
    public Device open(DeviceUri location) {
        return open(SimOptions.of(location));
    }

    private static Device open(SimOptions options) {
        SimSite site = new SimSite(options);
        Gid address = Gid.of(options.address());
        DeviceSettings settings =
                new DeviceSettings(
                        options.name(),
                        options.address(),
                        options.pathMtu(),
                        true,
                        false,
                        PeerBuffer.DEFAULT_BYTES,
                        new Random(site.network().options().seed() ^ address.hashCode()));
        SimCard card = site.network().card(address);
        return new RoceDevice(
                settings,
                site,
                new CardFunctions(
                        card.at(address),
                        options.role(),
                        card.functions(),
                        SimCard.MOST_FUNCTIONS,
                        function -> open(options.at(function.address()))));
    }

    @Override
    public DeviceLimits limits(DeviceUri location) {
        return RoceDevice.limits(SimOptions.of(location).pathMtu()).toBuilder()
                .maxDeviceMemoryBytes(SimSite.DEVICE_MEMORY_BYTES)
                .maxFunctions(SimCard.MOST_FUNCTIONS)
                .maxFlows(RoceDevice.MAX_FLOWS)
                .maxFrameBytes(EthernetFrame.MAX_LENGTH)
                .build();
    }

    @Override
    public List<Finding> diagnose(DeviceUri location) {
        SimOptions options = SimOptions.of(location);
        return List.of(
                Finding.ok(
                        "simulation",
                        "%s needs nothing; clock=%s"
                                .formatted(options.name(), options.ofNetwork().clock())),
                Finding.ok(
                        "card",
                        "role=%s; unless the card is there already, its functions are %s"
                                .formatted(options.role(), SimCard.of(options).functions())));
    }
}
