package dev.outboard.fabric.sim;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.NicFunction;
import dev.outboard.fabric.roce.wire.PathMtu;
import dev.outboard.fabric.spi.DeviceUri;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What the URI of a simulated device says ([SimProvider] has the syntax).
///
/// @param network the name of its network
/// @param address its address there
/// @param pathMtu the payload of its packets at most
/// @param role of the process that opens it
/// @param functions what its card has besides, by number
/// @param ofNetwork what the URI says of the network rather than of the device
record SimOptions(
        String network,
        InetAddress address,
        PathMtu pathMtu,
        Device.Role role,
        List<NicFunction> functions,
        NetworkOptions ofNetwork) {
    private static final String MTU = "mtu";
    private static final String ROLE = "role";
    private static final String FUNCTIONS = "functions";
    private static final Set<String> OF_DEVICE = Set.of(MTU, ROLE, FUNCTIONS);
    private static final Set<String> KNOWN =
            Stream.concat(OF_DEVICE.stream(), NetworkOptions.KEYS.stream())
                    .collect(Collectors.toUnmodifiableSet());
    private static final Pattern ADDRESS = Pattern.compile("[\\d.]+|[\\da-fA-F:.]*:[\\da-fA-F:.]*");

    /// @throws FabricException with BAD_URI for an unknown option or value
    static SimOptions of(DeviceUri location) {
        location.allowOnly(KNOWN);
        int slash = location.device().indexOf('/');
        if (slash <= 0) {
            throw new FabricException(
                    Reason.BAD_URI,
                    "device URI "
                            + location
                            + ": expected sim://NETWORK/ADDRESS, for example sim://lab/10.0.0.1");
        }
        String network = location.device().substring(0, slash);
        InetAddress address = address("address", location.device().substring(slash + 1));
        Map<String, String> options = location.options();
        Map<String, String> ofNetwork = new TreeMap<>(options);
        ofNetwork.keySet().removeAll(OF_DEVICE);
        return new SimOptions(
                network,
                address,
                pathMtu(options.getOrDefault(MTU, "4096")),
                value(options, ROLE, "host", SimOptions::role),
                functions(network, address, options.get(FUNCTIONS)),
                NetworkOptions.of(ofNetwork));
    }

    /// Those of another device on the network, for a process in the same role.
    SimOptions at(InetAddress other) {
        return new SimOptions(network, other, pathMtu, role, List.of(), ofNetwork);
    }

    /// The URI of the device, without options.
    String name() {
        return nameOf(network, address);
    }

    private static String nameOf(String network, InetAddress address) {
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

    private static Device.Role role(String text) {
        return switch (text) {
            case "host" -> Device.Role.HOST;
            case "dpu" -> Device.Role.DPU;
            default -> throw new IllegalArgumentException("expected host or dpu");
        };
    }

    private static List<NicFunction> functions(
            String network, InetAddress physical, @Nullable String text) {
        List<NicFunction> functions = new ArrayList<>();
        if (text == null) {
            return functions;
        }
        Set<InetAddress> taken = new HashSet<>(Set.of(physical));
        for (String each : text.split(",", -1)) {
            NicFunction function = function(functions.size() + 1, network, each);
            if (!taken.add(function.address())) {
                throw bad(FUNCTIONS, each, "another function has the address");
            }
            functions.add(function);
        }
        if (functions.size() >= SimCard.MOST_FUNCTIONS) {
            throw bad(
                    FUNCTIONS,
                    functions.size() + " functions",
                    "expected at most %d besides the physical one"
                            .formatted(SimCard.MOST_FUNCTIONS - 1));
        }
        return functions;
    }

    private static NicFunction function(int number, String network, String text) {
        NicFunction.Kind kind =
                switch (text.replaceFirst(":.*", "")) {
                    case "vf" -> NicFunction.Kind.VIRTUAL;
                    case "sf" -> NicFunction.Kind.SUB;
                    default ->
                            throw bad(
                                    FUNCTIONS,
                                    text,
                                    "expected vf:ADDRESS or sf:ADDRESS, for example vf:10.0.0.11,sf:10.0.0.12");
                };
        InetAddress address = address(FUNCTIONS, text.substring(text.indexOf(':') + 1));
        return new NicFunction(number, kind, nameOf(network, address), address);
    }

    private static InetAddress address(String key, String text) {
        // Not a name, which somebody would have to be asked for.
        if (!ADDRESS.matcher(text).matches()) {
            throw bad(key, text, "expected an IP address, for example 10.0.0.1 or fd00::1");
        }
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            throw bad(key, text, "expected an IP address, for example 10.0.0.1 or fd00::1");
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
