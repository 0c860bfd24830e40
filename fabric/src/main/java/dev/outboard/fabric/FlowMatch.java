package dev.outboard.fabric;

import dev.outboard.fabric.FabricException.Reason;
import java.util.Optional;
import java.util.OptionalInt;

/// Which frames a [Flow] steers to its queue pair: those to one MAC address, those of one
/// EtherType, both, or all. A value.
///
/// RoCE packets to the device's own address go to its transport and meet no flow. Every other frame
/// that comes to the port goes to one queue pair, that of the most specific flow: address and
/// EtherType before address, address before EtherType, EtherType before all. Of a frame with a VLAN
/// tag the EtherType is that of the tag, 0x8100; frames whose field holds a length, as those of
/// IEEE 802.3 do, have none.
///
/// @param destination the address that frames go to; any if it is empty
/// @param etherType what frames carry, such as 0x0800 for IPv4; anything if it is empty
public record FlowMatch(Optional<MacAddress> destination, OptionalInt etherType) {
    private static final int MIN_ETHER_TYPE = 0x0600;
    private static final int MAX_ETHER_TYPE = 0xFFFF;

    /// @throws FabricException with INVALID_ARGUMENT if the EtherType is none
    public FlowMatch {
        etherType.ifPresent(type -> {
            if (type < MIN_ETHER_TYPE || type > MAX_ETHER_TYPE) {
                throw new FabricException(
                        Reason.INVALID_ARGUMENT,
                        "the EtherType of a flow is %#06x; valid: %#06x to %#06x"
                                .formatted(type, MIN_ETHER_TYPE, MAX_ETHER_TYPE));
            }
        });
    }

    /// Every frame that no other flow takes.
    public static FlowMatch all() {
        return new FlowMatch(Optional.empty(), OptionalInt.empty());
    }

    /// Frames to `address`, which may be a multicast address.
    public static FlowMatch destination(MacAddress address) {
        return all().withDestination(address);
    }

    /// Frames of `type`, such as 0x0800 for IPv4.
    public static FlowMatch etherType(int type) {
        return all().withEtherType(type);
    }

    public FlowMatch withDestination(MacAddress address) {
        return new FlowMatch(Optional.of(address), etherType);
    }

    public FlowMatch withEtherType(int type) {
        return new FlowMatch(destination, OptionalInt.of(type));
    }

    /// As people say it, such as "frames to 02:00:0a:00:00:01 of EtherType 0x0800".
    @Override
    public String toString() {
        if (destination.isEmpty() && etherType.isEmpty()) {
            return "all frames";
        }
        return "frames"
                + destination.map(address -> " to " + address).orElse("")
                + (etherType.isPresent()
                        ? " of EtherType %#06x".formatted(etherType.getAsInt())
                        : "");
    }
}
