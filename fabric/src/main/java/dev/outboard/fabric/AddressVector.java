package dev.outboard.fabric;

import java.net.InetAddress;

/// The way to a peer (the verbs' `ibv_ah_attr`).
///
/// @param destination the peer's address
/// @param trafficClass the IP traffic class, 0..255: six bits of DSCP, two bits of ECN
/// @param flowLabel the IPv6 flow label, 20 bits. RoCE devices report that of a datagram received
///   and send none: a device has one socket, whose port stands in every packet
public record AddressVector(InetAddress destination, int trafficClass, int flowLabel) {
    public AddressVector {
        range("traffic class", trafficClass, 0xFF);
        range("flow label", flowLabel, 0xFFFFF);
    }

    /// To `destination`, without preference.
    public static AddressVector to(InetAddress destination) {
        return new AddressVector(destination, 0, 0);
    }

    private static void range(String what, int value, int max) {
        if (value < 0 || value > max) {
            throw new FabricException(
                    FabricException.Reason.INVALID_ARGUMENT,
                    what + " is " + value + "; valid: 0 to " + max);
        }
    }
}
