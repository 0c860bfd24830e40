package dev.outboard.fabric.sim;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.roce.wire.PathMtu;
import dev.outboard.fabric.spi.DeviceUri;
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
/// @param ofNetwork what the URI says of the network rather than of the device
record SimOptions(String network, InetAddress address, PathMtu pathMtu, NetworkOptions ofNetwork) {
    private static final String MTU = "mtu";

    /// @throws FabricException with BAD_URI for an unknown option or value
    static SimOptions of(DeviceUri location) {
        Set<String> known = new TreeSet<>(NetworkOptions.KEYS);
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
                NetworkOptions.of(ofNetwork));
    }

    /// The URI of the device, without options.
    String name() {
        return "sim://" + network + "/" + address.getHostAddress();
    }

    static <T> T value(
            Map<String, String> options, String key, String absent, Function<String, T> parse) {
        String text = options.getOrDefault(key, absent);
        try {
            return parse.apply(text);
        } catch (IllegalArgumentException e) {
            throw bad(key, text, String.valueOf(e.getMessage()));
        }
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
