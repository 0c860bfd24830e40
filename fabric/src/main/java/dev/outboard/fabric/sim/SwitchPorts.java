package dev.outboard.fabric.sim;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.MacAddress;
import dev.outboard.fabric.roce.wire.Gid;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The ports of the Ethernet switch that a simulated network is, one for each open device. One
/// thread at a time.
final class SwitchPorts {
    private static final long OF_IPV4 = 0x0200_0000_0000L;
    private static final long OF_IPV6 = 0x0600_0000_0000L;
    private static final int OF_IPV6_BITS = 40;

    /// Spreads the bits of a subnet (the golden ratio).
    private static final long MIX = 0x9E37_79B9_7F4A_7C15L;

    private final Map<MacAddress, Gid> ports = new LinkedHashMap<>();

    /// The MAC address that comes with an IP address: locally administered, and the same in each
    /// run. That of 10.0.0.1 is 02:00:0a:00:00:01; in one IPv6 subnet they differ if the last 40
    /// bits do.
    static MacAddress addressOf(Gid device) {
        if (device.isIpv4()) {
            return new MacAddress(OF_IPV4 | (device.low() & 0xFFFF_FFFFL));
        }
        long ofSubnet = (device.high() * MIX) >>> (Long.SIZE - OF_IPV6_BITS);
        long ofDevice = device.low() & ((1L << OF_IPV6_BITS) - 1);
        return new MacAddress(OF_IPV6 | (ofSubnet ^ ofDevice));
    }

    /// @throws FabricException with ADDRESS_IN_USE if another device has the same MAC address as
    ///   the one that `options` name
    void requireFree(SimOptions options) {
        Gid device = Gid.of(options.address());
        MacAddress address = addressOf(device);
        Gid holder = ports.getOrDefault(address, device);
        if (!holder.equals(device)) {
            throw new FabricException(
                    Reason.ADDRESS_IN_USE,
                    "%s would have the MAC address %s, which sim://%s/%s has; take another address of the network"
                            .formatted(options.name(), address, options.network(), holder));
        }
    }

    void join(Gid device) {
        ports.put(addressOf(device), device);
    }

    void leave(Gid device) {
        ports.remove(addressOf(device));
    }

    /// Whom a frame from `sender` to `destination` goes to: the device that has the address, or
    /// else all others.
    List<Gid> receivers(Gid sender, MacAddress destination) {
        Gid receiver = ports.get(destination);
        return receiver != null
                ? List.of(receiver)
                : ports.values().stream().filter(device -> !device.equals(sender)).toList();
    }
}
