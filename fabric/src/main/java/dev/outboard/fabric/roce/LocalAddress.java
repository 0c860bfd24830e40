package dev.outboard.fabric.roce;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.roce.io.Route;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.random.RandomGenerator;

/// Finds the local address of a device that is named by what it shall reach.
final class LocalAddress {
    private LocalAddress() {}

    /// The address `name` resolves to.
    static InetAddress of(String name) {
        try {
            return InetAddress.getByName(name);
        } catch (UnknownHostException e) {
            throw new FabricException(
                    Reason.ADDRESS_NOT_AVAILABLE,
                    "unknown host " + name + "; give an IP address, or a name that resolves to one",
                    e);
        }
    }

    /// Every address of the network interfaces that are up, but those of loopback and of links.
    static List<InetAddress> ofInterfaces() {
        try {
            return NetworkInterface.networkInterfaces()
                    .filter(LocalAddress::isUsable)
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(address -> !address.isLinkLocalAddress())
                    .map(LocalAddress::withoutScope)
                    .toList();
        } catch (IOException | UncheckedIOException e) {
            throw new FabricException(
                    Reason.SYSTEM, "cannot list network interfaces: " + e.getMessage(), e);
        }
    }

    /// Whether the local address from which `peer` is reached is drawn.
    static boolean isDrawn(InetAddress peer) {
        return peer.isLoopbackAddress() && peer instanceof Inet4Address;
    }

    private static boolean isUsable(NetworkInterface each) {
        try {
            return each.isUp() && !each.isLoopback();
        } catch (SocketException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// An address that is not of one link means the same without the interface it was found on.
    private static InetAddress withoutScope(InetAddress address) {
        return InetAddress.ofLiteral(address.getHostAddress().replaceFirst("%.*", ""));
    }

    /// The address from which packets to `peer` leave. On loopback every process needs an address
    /// of its own, because port 4791 serves one process per address: one of 127.0.0.0/8 is drawn.
    static InetAddress towards(InetAddress peer, RandomGenerator random) {
        if (isDrawn(peer)) {
            return loopback(random);
        }
        try {
            return Route.localAddressTowards(peer);
        } catch (UncheckedIOException e) {
            throw new FabricException(
                    Reason.ADDRESS_NOT_AVAILABLE, String.valueOf(e.getMessage()), e);
        }
    }

    private static InetAddress loopback(RandomGenerator random) {
        byte[] address = {
            127,
            (byte) random.nextInt(64, 255),
            (byte) random.nextInt(255),
            (byte) random.nextInt(1, 255)
        };
        try {
            return InetAddress.getByAddress(address);
        } catch (UnknownHostException e) {
            throw new AssertionError("four bytes are an address", e);
        }
    }
}
