package dev.outboard.fabric.roce.io;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.DatagramChannel;
import org.jspecify.annotations.Nullable;

/// What the routing table says, asked by connecting a datagram socket, which sends nothing.
public final class Route {
    private static final int ANY_PORT = 9;

    private Route() {}

    /// Why packets from `local` cannot get to `remote`; empty if they can.
    public static String problem(InetAddress local, InetAddress remote) {
        String mismatch = mismatch(local, remote);
        if (!mismatch.isEmpty()) {
            return mismatch;
        }
        try {
            connect(local, remote);
            return "";
        } catch (IOException e) {
            return noWay(local, remote, String.valueOf(e.getMessage()));
        }
    }

    /// Why there is no way from `local` to `remote` on any network; empty if there may be one.
    public static String mismatch(InetAddress local, InetAddress remote) {
        if (remote.isAnyLocalAddress() || remote.isMulticastAddress()) {
            return remote.getHostAddress() + " is not the address of one host";
        }
        if (remote.getClass() != local.getClass()) {
            return noWay(local, remote, "one is IPv4, the other IPv6");
        }
        return "";
    }

    private static String noWay(InetAddress local, InetAddress remote, String why) {
        return "no way from "
                + local.getHostAddress()
                + " to "
                + remote.getHostAddress()
                + ": "
                + why;
    }

    /// The local address from which packets to `remote` leave.
    ///
    /// @throws UncheckedIOException if there is no route
    public static InetAddress localAddressTowards(InetAddress remote) {
        try {
            return connect(null, remote);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "no route to " + remote.getHostAddress() + ": " + e.getMessage(), e);
        }
    }

    private static InetAddress connect(@Nullable InetAddress local, InetAddress remote)
            throws IOException {
        try (DatagramChannel channel = DatagramChannel.open()) {
            if (local != null) {
                channel.bind(new InetSocketAddress(local, 0));
            }
            channel.connect(new InetSocketAddress(remote, ANY_PORT));
            return ((InetSocketAddress) channel.getLocalAddress()).getAddress();
        }
    }
}
