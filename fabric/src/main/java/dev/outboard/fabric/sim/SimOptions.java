package dev.outboard.fabric.sim;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.roce.wire.PathMtu;
import dev.outboard.fabric.sim.network.NetworkFaults;
import dev.outboard.fabric.spi.DeviceUri;
import dev.outboard.fabric.spi.Quantity;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/// What the URI of a simulated device says ([SimProvider] has the syntax).
///
/// @param network the name of its network
/// @param address its address there
/// @param pathMtu the payload of its packets at most
/// @param ofNetwork what the URI says of the network rather than of the device, as it is written
/// @param clock how time passes there
/// @param seed decides about everything that is left to chance
/// @param faults what happens to packets
record SimOptions(
        String network,
        InetAddress address,
        PathMtu pathMtu,
        Map<String, String> ofNetwork,
        SimClock clock,
        long seed,
        NetworkFaults faults) {
    private static final Set<String> OF_NETWORK =
            Set.of(
                    "seed",
                    "clock",
                    "latency",
                    "jitter",
                    "bandwidth",
                    "loss",
                    "duplicate",
                    "reorder",
                    "corrupt",
                    "inbox",
                    "idle");
    private static final String MTU = "mtu";

    /// @throws FabricException with BAD_URI for an unknown option or value
    static SimOptions of(DeviceUri location) {
        Set<String> known = new TreeSet<>(OF_NETWORK);
        known.add(MTU);
        location.allowOnly(known);
        int slash = location.device().indexOf('/');
        if (slash <= 0) {
            throw new FabricException(
                    Reason.BAD_URI,
                    "device URI "
                            + location
                            + ": expected sim://NETWORK/ADDRESS, for example sim://lab/10.0.0.1");
        }
        Map<String, String> ofNetwork = new TreeMap<>(location.options());
        ofNetwork.remove(MTU);
        return new SimOptions(
                location.device().substring(0, slash),
                address(location.device().substring(slash + 1)),
                pathMtu(location.options().getOrDefault(MTU, "4096")),
                ofNetwork,
                value(ofNetwork, "clock", "virtual", SimClock::of),
                value(ofNetwork, "seed", "0", Quantity::integer),
                faults(ofNetwork));
    }

    /// The URI of the device, without options.
    String name() {
        return "sim://" + network + "/" + address.getHostAddress();
    }

    private static NetworkFaults faults(Map<String, String> options) {
        return NetworkFaults.none(value(options, "latency", "1us", Quantity::nanos))
                .withJitter(value(options, "jitter", "0ns", Quantity::nanos))
                .withBandwidth(value(options, "bandwidth", "100Gbit", Quantity::bitsPerSecond))
                .withTurn(value(options, "idle", "0ns", Quantity::nanos))
                .withLoss(value(options, "loss", "0%", Quantity::fraction))
                .withDuplication(value(options, "duplicate", "0%", Quantity::fraction))
                .withReordering(value(options, "reorder", "0%", Quantity::fraction))
                .withCorruption(value(options, "corrupt", "0%", Quantity::fraction))
                .withInbox(value(options, "inbox", "1000000", SimOptions::inbox));
    }

    private static <T> T value(
            Map<String, String> options, String key, String absent, Function<String, T> parse) {
        String text = options.getOrDefault(key, absent);
        try {
            return parse.apply(text);
        } catch (IllegalArgumentException e) {
            throw bad(key, text, String.valueOf(e.getMessage()));
        }
    }

    private static int inbox(String text) {
        if (!text.matches("[1-9]\\d{0,6}")) {
            throw new IllegalArgumentException("expected 1 to 9999999 packets");
        }
        return Integer.parseInt(text);
    }

    private static InetAddress address(String text) {
        // Not a name, which somebody would have to be asked for.
        if (!text.matches("[\\d.]+|[\\da-fA-F:.]*:[\\da-fA-F:.]*")) {
            throw bad("address", text, "expected an IP address, for example 10.0.0.1 or fd00::1");
        }
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            throw bad("address", text, "expected an IP address, for example 10.0.0.1 or fd00::1");
        }
    }

    private static PathMtu pathMtu(String text) {
        for (PathMtu mtu : PathMtu.values()) {
            if (text.equals(String.valueOf(mtu.bytes()))) {
                return mtu;
            }
        }
        throw bad(MTU, text, "expected 256, 512, 1024, 2048 or 4096");
    }

    private static FabricException bad(String key, String value, String why) {
        return new FabricException(Reason.BAD_URI, key + "=" + value + ": " + why);
    }
}
